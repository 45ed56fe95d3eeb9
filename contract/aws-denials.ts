/** AWS's error names for a missing permission and for unknown credentials. */
const denials: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  // A new role: its session is not known everywhere yet.
  'UnrecognizedClientException',
]);

/** Whether AWS refused a call for lack of a permission. */
export function isAwsDenial(error: unknown): boolean {
  return error instanceof Error && denials.has(error.name);
}
