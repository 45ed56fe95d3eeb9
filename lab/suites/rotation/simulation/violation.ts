/** What must never happen: the test fails with it. */
export class Violation extends Error {
  override readonly name = 'Violation';
}
