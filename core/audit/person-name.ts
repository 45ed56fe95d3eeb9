import { checkInput } from '../../contract/management/fields.ts';
import { newName } from '../../contract/management/rules.ts';

/** The name of a person behind a portal, which is the person's own claim. Nothing decides by it. */
export interface PersonName {
  /** The actor of the audit: `https://issuer#subject`. */
  readonly subject: string;
  /** As the identity provider last gave it. */
  readonly name: string;
  /** What the person reached when it was given; undefined: every trunk group. */
  readonly trunkGroups?: readonly string[] | undefined;
}

/** What is stored of a person. An erased name stays erased. */
export type StoredPerson = PersonName | { readonly subject: string; readonly erased: true };

/** The only place that has names of people. */
export interface PersonNameStore {
  /** Those that are known and not erased. */
  findPersonNames(subjects: readonly string[]): Promise<ReadonlyMap<string, PersonName>>;
  /** Writes what differs from the stored name, and nothing for a subject whose name was erased. */
  recordPersonName(person: PersonName): Promise<void>;
  /** Erases a name, if there is one, and keeps every later one from being written. */
  erasePersonName(subject: string): Promise<void>;
}

/**
 * How a restricted caller sees an identity of the platform. A person can have this name too, so a
 * change of the staff also says so in a field of its own.
 */
export const platformStaff = 'Platform staff';

/**
 * A name as it is stored.
 *
 * @returns undefined for one that is not allowed.
 */
export function toStoredName(subject: string, received: string): string | undefined {
  const { output: name, issues } = checkInput(newName, received, {});
  if (issues.length > 0) return undefined;
  // A provider that gives no name gives the subject.
  return subject.endsWith(`#${name}`) ? undefined : name;
}

/** Names of people who have a trunk group of the caller. Who reaches all of them is the staff. */
export function restrictPersonNames(
  store: PersonNameStore,
  groups: readonly string[],
): PersonNameStore {
  const narrow = (person: PersonName): readonly PersonName[] => {
    if (person.trunkGroups === undefined) return [{ ...person, name: platformStaff }];
    return person.trunkGroups.some((group) => groups.includes(group)) ? [person] : [];
  };
  return {
    ...store,
    findPersonNames: async (subjects) => {
      const found = await store.findPersonNames(subjects);
      return new Map([...found.values()].flatMap(narrow).map((person) => [person.subject, person]));
    },
  };
}
