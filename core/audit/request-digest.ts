import { createHash } from 'node:crypto';

/**
 * Names what a function is asked, so that a proof of the caller counts for this request only: the
 * function and every key of the event but the proof itself, in one order.
 */
export function requestDigest(functionName: string, event: object): string {
  const asked = Object.entries(event)
    .filter(([key, value]) => key !== 'caller_proof' && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([functionName, asked]))
    .digest('base64url');
}
