import type { Grant } from '../../identity-provider/grant.ts';
import { subjectsOverlap, valueOf } from '../../identity-provider/subject-grant.ts';
import type { OutsideClient } from './outside-clients.ts';

/** A grant that clients need. */
export interface ProposedGrant extends Grant {
  /** Grants that it takes the place of, because grants do not overlap. */
  readonly insteadOf: readonly string[];
}

/**
 * The grants at one issuer that clients outside need, in addition to those that there are. A grant of
 * several trunk groups shows that customers share an id: the staff decides whose it is.
 *
 * @param present grants at the issuer.
 */
export function proposeGrants(
  present: readonly Grant[],
  outside: readonly Pick<OutsideClient, 'subject' | 'serviceTrunkGroup'>[],
): readonly ProposedGrant[] {
  let proposed: readonly ProposedGrant[] = present.map((one) => ({ ...one, insteadOf: [] }));
  for (const { subject, serviceTrunkGroup } of outside) {
    const value = valueOf(subject);
    const shared = proposed.filter((one) => subjectsOverlap(one.value, value));
    const values = [value, ...shared.map((one) => one.value)];
    // Of values that overlap, the shortest stands for all.
    const shortest = values.reduce((a, b) => (b.length < a.length ? b : a));
    const groups = [serviceTrunkGroup, ...shared.flatMap(({ trunkGroups }) => trunkGroups)];
    const replaced = shared.flatMap((one) =>
      one.value === shortest ? one.insteadOf : [one.value, ...one.insteadOf],
    );
    const isPresent = (one: string) => present.some((grant) => grant.value === one);
    proposed = [
      ...proposed.filter((one) => !shared.includes(one)),
      {
        value: shortest,
        trunkGroups: [...new Set(groups)].toSorted(),
        insteadOf: [...new Set(replaced)].filter(isPresent).toSorted(),
      },
    ];
  }
  const isNew = (one: ProposedGrant) =>
    !present.some((grant) => grant.value === one.value && isSame(grant, one));
  return proposed.filter(isNew).toSorted((a, b) => (a.value < b.value ? -1 : 1));
}

function isSame(grant: Grant, other: Grant): boolean {
  return grant.trunkGroups.toSorted().join(' ') === other.trunkGroups.join(' ');
}
