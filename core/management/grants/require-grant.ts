import type { Client } from '../../client/client.ts';
import { subjectOf } from '../../client/provider-client-id.ts';
import { RefusedError } from '../../errors.ts';
import {
  findIssuerGrant,
  findSharedHostProblem,
  findSharedSubjects,
  findSubjectGrant,
  type Grant,
  hostOf,
} from '../../identity-provider/grant.ts';
import type { ManagementContext } from '../management-context.ts';
import type { ManagedProvider } from '../providers/provider-reach.ts';
import { refuseInput } from '../read-input.ts';

/** A new client under a provider. */
interface WantedSubject {
  readonly provider: ManagedProvider;
  readonly serviceTrunkGroup: string;
  /** A client id at the provider, or a pattern. */
  readonly subject: string;
  /** Whether the staff has seen that another trunk group has a grant. */
  readonly allowOtherGrant: boolean;
}

/** Whether only the caller's own trunk groups have a provider: its clients are then the caller's. */
function isWithinReach({ owner }: ManagedProvider): boolean {
  return owner !== undefined && owner.trunkGroups.length > 0 && owner.others !== true;
}

function describeGranted(grants: readonly Grant[], group: string): string {
  const own = grants.filter(({ trunkGroups }) => trunkGroups.includes(group));
  if (own.length === 0) return "none, until the platform's staff grants client ids";
  const values = own.slice(0, 10).map(({ value }) => value);
  return [...values, ...(own.length > values.length ? ['…'] : [])].join(', ');
}

/**
 * A restricted caller creates clients only with ids that are granted to them,
 * except under a provider that only they own. The refusal is the same whether the id is free,
 * granted to others or has a client.
 *
 * @throws {InputError} if the id is not granted to the trunk group.
 * @throws {RefusedError} if the caller is not restricted, the id is granted to another trunk group, and
 *   the caller does not say that it is meant.
 */
export async function requireSubjectGrant(
  context: ManagementContext,
  { provider, serviceTrunkGroup: group, subject, allowOtherGrant }: WantedSubject,
): Promise<void> {
  const isRestricted = context.trunkGroups !== undefined;
  if (isRestricted && isWithinReach(provider)) return;
  const { issuer } = provider;
  const { grants } = await context.subjectGrants.find(issuer);
  if (isRestricted) {
    if (findSubjectGrant(grants, subject)?.trunkGroups.includes(group) === true) return;
    return refuseInput(
      'externalClientId',
      subject,
      `what is granted to ${group} at ${issuer}: ${describeGranted(grants, group)}`,
    );
  }
  const others = findSharedSubjects(grants, subject).filter(
    ({ trunkGroups }) => !trunkGroups.includes(group),
  );
  if (others.length === 0 || allowOtherGrant) return;
  const held = others.map(({ value, trunkGroups }) => `${value} to ${trunkGroups.join(', ')}`);
  throw new RefusedError(
    `${JSON.stringify(subject)} is granted to other service trunk groups: ${held.join('; ')}. Change the grant, or say that the client is meant (allowOtherGrant)`,
  );
}

/**
 * What a client had before its id was granted to another trunk group goes on, or the staff stopped it.
 * A restricted caller does not enable it again or give it more.
 *
 * @throws {RefusedError} if one of the ids of the client is granted to another trunk group.
 */
export async function requireNoOtherGrant(
  { trunkGroups, identityProviders, subjectGrants }: ManagementContext,
  { clientId, provider, serviceTrunkGroup: group }: Client,
): Promise<void> {
  if (trunkGroups === undefined || provider === undefined) return;
  const { issuer } = provider;
  const registered = await identityProviders.findIdentityProvider(issuer);
  if (registered !== undefined && isWithinReach(registered)) return;
  const { grants } = await subjectGrants.find(issuer);
  const subject = subjectOf(provider);
  const shared = findSharedSubjects(grants, subject);
  if (shared.every((grant) => grant.trunkGroups.includes(group))) return;
  throw new RefusedError(
    `the client ${clientId} has ${JSON.stringify(subject)} at ${issuer}, which is granted to another service trunk group: only the platform's staff can give it more than it has`,
  );
}

/** The trunk groups, of some, to which an issuer is granted. */
export async function findGrantedGroups(
  { issuerGrants }: Pick<ManagementContext, 'issuerGrants'>,
  issuer: string,
  groups: readonly string[],
): Promise<readonly string[]> {
  if (!URL.canParse(issuer)) return [];
  const { grants } = await issuerGrants.find(hostOf(issuer));
  const granted = findIssuerGrant(grants, issuer)?.trunkGroups ?? [];
  return groups.filter((group) => granted.includes(group));
}

/** @returns never: the same text whether the issuer is registered, granted to others or free. */
export function refuseIssuer(issuer: string, groups: readonly string[]): never {
  throw new RefusedError(
    `${issuer} is not granted to the service trunk group ${groups.join(', ') || 'none'}; the platform's staff can grant it`,
  );
}

/**
 * A restricted caller registers only an issuer that is granted to each of them.
 * The staff may register for trunk groups any issuer that is granted to no other one.
 *
 * @param groups of the registration. None: it is for the whole platform.
 * @throws {RefusedError} if the issuer is not theirs.
 */
export async function requireIssuerGrant(
  context: ManagementContext,
  issuer: string,
  groups: readonly string[],
): Promise<void> {
  if (groups.length === 0) return;
  const granted = await findGrantedGroups(context, issuer, groups);
  if (granted.length === groups.length) return;
  if (context.trunkGroups !== undefined) {
    return refuseIssuer(
      issuer,
      groups.filter((group) => !granted.includes(group)),
    );
  }
  const problem = findSharedHostProblem(issuer);
  if (problem !== undefined) {
    throw new RefusedError(`${issuer} cannot be for some trunk groups; allowed: ${problem}`);
  }
  const { grants } = await context.issuerGrants.find(hostOf(issuer));
  const held = findIssuerGrant(grants, issuer);
  if (held === undefined) return;
  throw new RefusedError(
    `${issuer} is granted to ${held.trunkGroups.join(', ')} (${held.value}); change that grant first`,
  );
}
