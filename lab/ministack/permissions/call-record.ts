import assert from 'node:assert/strict';
import type { DecidedRequest } from '../../emulator/iam/authorizer.ts';
import { account, functionOfKey } from './function-key.ts';

type IsExpected = (request: DecidedRequest) => boolean;

/** The calls of functions and operators that IAM decided in one account, and what went wrong. */
export class CallRecord {
  readonly decisions: DecidedRequest[] = [];
  readonly #problems = new Set<string>();
  #isExpected: IsExpected = () => false;
  #expectedDenials = 0;
  #forwarded = 0;

  /** Calls that could not be decided, and denials that no test expects. */
  get problems(): readonly string[] {
    return [...this.#problems];
  }

  add(request: DecidedRequest): void {
    this.decisions.push(request);
    if (request.result === 'Allowed') return;
    const { principal, action, resource } = request;
    if (this.#isExpected(request)) this.#expectedDenials += 1;
    else this.addProblem(`denied: ${principal} ${action} ${resource}`);
  }

  addProblem(problem: string): void {
    this.#problems.add(problem);
  }

  /** A call of a function that the emulator gets. */
  addForwarded(): void {
    this.#forwarded += 1;
  }

  /** @throws {AssertionError} if there is no such denial while `work` runs. */
  async expectDenials(isExpected: IsExpected, work: () => Promise<void>): Promise<void> {
    const before = this.#expectedDenials;
    this.#isExpected = isExpected;
    try {
      await work();
    } finally {
      this.#isExpected = () => false;
    }
    assert.ok(this.#expectedDenials > before, 'no call was denied that should be');
  }

  /**
   * @param callers access key ids of the calls that the emulator received.
   * @throws {AssertionError} if there are problems, or the emulator received a call of a function
   *   that was not decided before.
   */
  check(callers: readonly string[]): void {
    assert.deepEqual(this.problems, []);
    assert.ok(this.#forwarded > 0, 'no call of a function was decided');
    const received = callers.filter(
      (id) => id === account || functionOfKey(id) !== undefined,
    ).length;
    assert.ok(received > 0, "the emulator's log has no call of a function");
    assert.ok(
      received <= this.#forwarded,
      `the emulator received ${received} calls of functions; ${this.#forwarded} were decided`,
    );
  }
}
