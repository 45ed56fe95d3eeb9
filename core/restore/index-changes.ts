import { type AuditedChange, readClientId } from './audited-changes.ts';

/** The changes that may concern an item, by its id. */
export type ChangesOf = (id: string) => readonly AuditedChange[];

/** A change of a secret concerns its client, which holds it. */
function ownerOf(change: AuditedChange): string {
  if (!change.action.startsWith('client_secret.')) return change.subject;
  const owner = readClientId(change);
  return typeof owner === 'string' ? owner : unknownOwner;
}

/** No id is empty. A change that does not name its item concerns every item. */
const unknownOwner = '';

/** Keeps a restore of thousands of items from checking every change for each of them. */
export function indexChanges(changes: readonly AuditedChange[]): ChangesOf {
  const byOwner = new Map<string, AuditedChange[]>();
  for (const change of changes) {
    const owner = ownerOf(change);
    const list = byOwner.get(owner);
    if (list === undefined) byOwner.set(owner, [change]);
    else list.push(change);
  }
  const ofAll = byOwner.get(unknownOwner) ?? [];
  return (id) => [...(byOwner.get(id) ?? []), ...ofAll];
}
