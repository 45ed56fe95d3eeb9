import type { Problems } from './problems.ts';

/**
 * The id of a form that is shown again. A form that was refused keeps its id, so that a repetition
 * makes the change once. After a creation, a form that a browser kept needs another id.
 */
export function nextRequestId(
  { newRequestId }: { readonly newRequestId: () => string },
  requestId: string,
  { wasSentBefore = false }: Problems,
): string {
  return wasSentBefore ? newRequestId() : requestId;
}
