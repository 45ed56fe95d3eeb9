import { maxTrunkGroupsOfReach } from '../../contract/bounds.ts';
import { ownValue } from '../../contract/own-value.ts';
import type { PeopleMapping } from '../../contract/portal-config.ts';
import { unprintable } from '../../contract/unprintable.ts';
import { type Role, roles } from '../access/guarded-management.ts';
/** The claims of a person's ID token, verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a person may do, from the claims of one login. */
export interface Access {
  readonly name: string;
  readonly role: Role;
  /** Undefined for an administrator: every group. */
  readonly trunkGroups: readonly string[] | undefined;
}

/** Why a person has no access, in words for the page that says so. */
export interface NoAccess {
  readonly refused: 'no role' | 'no trunk group' | 'too many trunk groups' | 'claim not sent';
}

const trunkGroup = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** A claim as a list of texts. Providers write one value as a text or as a list. */
function valuesOf(claims: Claims, name: string): readonly string[] {
  const value = ownValue(claims, name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === 'string' && one !== '');
}

function roleOf(claims: Claims, { role, administrators = false }: PeopleMapping): Role | undefined {
  const groups = new Set(valuesOf(claims, role.claim));
  return roles.findLast(
    (one) =>
      (one !== 'administrator' || administrators) &&
      (role[one] ?? []).some((group) => groups.has(group)),
  );
}

function trunkGroupsOf(claims: Claims, mapping: PeopleMapping['trunkGroups']): readonly string[] {
  const values = valuesOf(claims, mapping.claim);
  const { groups } = mapping;
  const named =
    groups === undefined ? values : values.flatMap((value) => ownValue(groups, value) ?? []);
  return [...new Set(named)].filter((group) => trunkGroup.test(group)).toSorted();
}

const maxNameLength = 80;

const everyUnprintable = new RegExp(unprintable, 'gu');

/** How the portal names the person. */
export function nameOf(claims: Claims, mapping: PeopleMapping): string {
  const names = mapping.nameClaim === undefined ? ['email', 'name'] : [mapping.nameClaim];
  const found = [...names, 'sub'].flatMap((name) => valuesOf(claims, name));
  return (found[0] ?? '').replaceAll(everyUnprintable, '').slice(0, maxNameLength);
}

/**
 * Whether the provider names another place for a claim (OpenID Connect Core §5.6.2), as Entra ID does
 * for people in more than 200 groups. The portal does not ask there.
 */
function isElsewhere({ _claim_names: names }: Claims, claim: string): boolean {
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
}

/** The access of the person with these claims. */
export function findAccess(claims: Claims, mapping: PeopleMapping): Access | NoAccess {
  const noAccess = (claim: string, refused: NoAccess['refused']): NoAccess => ({
    refused: isElsewhere(claims, claim) ? 'claim not sent' : refused,
  });
  const role = roleOf(claims, mapping);
  if (role === undefined) return noAccess(mapping.role.claim, 'no role');
  const name = nameOf(claims, mapping);
  if (role === 'administrator') return { name, role, trunkGroups: undefined };
  const trunkGroups = trunkGroupsOf(claims, mapping.trunkGroups);
  if (trunkGroups.length === 0) return noAccess(mapping.trunkGroups.claim, 'no trunk group');
  if (trunkGroups.length > maxTrunkGroupsOfReach) return { refused: 'too many trunk groups' };
  return { name, role, trunkGroups };
}
