import type { AuditedChange } from '../audit/audit-change.ts';
import { type PersonName, platformStaff, toStoredName } from '../audit/person-name.ts';
import { mapStops } from '../stops.ts';
import { requireEveryTrunkGroup } from './caller-reach.ts';
import { type ManagementContext, makeAuditedChange } from './management-context.ts';

/**
 * Records the name of a person, when the audit has a change of that person. A failure here is no
 * failure of the change.
 */
export async function recordPersonName(
  { personNames, trunkGroups }: Pick<ManagementContext, 'personNames' | 'trunkGroups'>,
  subject: string,
  received: string,
): Promise<void> {
  const name = toStoredName(subject, received);
  if (name === undefined) return;
  try {
    await personNames.recordPersonName({ subject, name, trunkGroups: trunkGroups?.toSorted() });
  } catch {
    // The next change tries again. A log line could have the name.
  }
}

/** Whether an actor of the audit is a person behind a portal. */
function isPerson(actor: string): boolean {
  return actor.startsWith('https://');
}

interface ActorFields {
  readonly actorName?: string | undefined;
  readonly actorIsStaff?: true | undefined;
}

/** Adds the names of the people who made the changes. Without an answer, there are none. */
export async function withActorNames<T extends Pick<AuditedChange, 'actor'>>(
  { personNames, trunkGroups: reach }: Pick<ManagementContext, 'personNames' | 'trunkGroups'>,
  changes: readonly T[],
): Promise<readonly (T & ActorFields)[]> {
  const people = new Set(changes.map(({ actor }) => actor).filter(isPerson));
  if (people.size === 0) return changes;
  const names = await personNames
    .findPersonNames([...people])
    .catch(() => new Map<string, PersonName>());
  return changes.map((change) => {
    const person = names.get(change.actor);
    if (person === undefined) return change;
    const isStaff = reach !== undefined && person.trunkGroups === undefined;
    return { ...change, ...(isStaff ? { actorIsStaff: true } : { actorName: person.name }) };
  });
}

/** A result with the names of the people who stopped something in it, as the caller may know them. */
export async function withAuthors(context: ManagementContext, result: unknown): Promise<unknown> {
  const { nameActor = (actor: string) => actor } = context;
  const authors = new Set<string>();
  mapStops(result, (stop) => {
    if (typeof stop['by'] === 'string') authors.add(stop['by']);
    return stop;
  });
  if (authors.size === 0) return result;
  const changes = [...authors].map((actor) => ({ actor }));
  const named = new Map((await withActorNames(context, changes)).map((one) => [one.actor, one]));
  return mapStops(result, (stop) => {
    const { by } = stop;
    if (typeof by !== 'string') return stop;
    const { actorName: name, actorIsStaff } = named.get(by) ?? {};
    return { ...stop, by: actorIsStaff ? platformStaff : nameActor(by), name };
  });
}

/** The subject stays in the audit, without a name from then on. */
export async function erasePersonName(context: ManagementContext, subject: string): Promise<void> {
  requireEveryTrunkGroup(context, 'The name of a person');
  await makeAuditedChange(context, { action: 'person_name.delete', subject }, () =>
    context.personNames.erasePersonName(subject),
  );
}
