import { hasWildcard } from '../client/client-id-pattern.ts';
import type { Grant } from './grant.ts';

/** CI systems and platforms separate the parts of a subject by these. */
const delimiter = /[/:]/;

/** A grant is a prefix if it ends at a delimiter: `repo:acme` would be a prefix of `repo:acme-evil/`. */
function isPrefix(value: string): boolean {
  return delimiter.test(value.slice(-1));
}

/** Parts that a prefix must name: `repo:` and `spiffe://` would be everyone's at their provider. */
const leastParts = 2;

/** What is wrong with the value of a grant, as what is allowed instead. */
export function findSubjectProblem(value: string): string | undefined {
  if (hasWildcard(value)) {
    return 'no "*"; a value that ends at "/" or ":" stands for every client id that begins with it';
  }
  const parts = value.split(delimiter).filter((part) => part !== '');
  if (!isPrefix(value) || parts.length >= leastParts) return undefined;
  return `at least ${leastParts} parts before the end, such as repo:OWNER/`;
}

/**
 * A client id or a pattern as the value of a grant that stands for each id that it matches. The `*` of
 * a pattern follows a delimiter (ADR 0058).
 */
export function valueOf(subject: string): string {
  return hasWildcard(subject) ? subject.slice(0, -1) : subject;
}

/** Whether a grant stands for everything that another value stands for. Compared byte for byte. */
function includes(value: string, other: string): boolean {
  return value === other || (isPrefix(value) && other.startsWith(value));
}

/** Whether there is a client id that both stand for. */
export function subjectsOverlap(value: string, other: string): boolean {
  return includes(value, other) || includes(other, value);
}

/**
 * The grant that has a client's id at the provider, or every id that a pattern matches. There is at
 * most one, because grants do not overlap.
 */
export function findSubjectGrant(grants: readonly Grant[], subject: string): Grant | undefined {
  return grants.find(({ value }) => includes(value, valueOf(subject)));
}

/** The grants that have one of the ids that a client's id or pattern stands for. */
export function findSharedSubjects(grants: readonly Grant[], subject: string): readonly Grant[] {
  return grants.filter(({ value }) => subjectsOverlap(value, valueOf(subject)));
}
