import { createHash } from 'node:crypto';

/**
 * Names what a function is asked, so that a proof of the caller counts for this request only: the
 * function and every key of the event but the proof itself, in one order.
 */
export function requestDigest(functionName: string, event: object): string {
  const entries = Object.entries(event)
    .filter(([key, value]) => key !== 'caller_proof' && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([functionName, entries]))
    .digest('base64url');
}

/**
 * Names what the management function is asked, in the same way.
 *
 * @param aliasArn the alias that is invoked: its region, account, function and role.
 * @param request the text of the request.
 */
export function managementDigest(aliasArn: string, request: string): string {
  return createHash('sha256').update(`${aliasArn}\n${request}`).digest('base64url');
}
