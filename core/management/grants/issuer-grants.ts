import type * as v from 'valibot';
import type { newIssuerGrant } from '../../../contract/management/inputs.ts';
import { ConflictError, RefusedError } from '../../errors.ts';
import {
  findIssuerGrant,
  findIssuerGrantProblem,
  type Grant,
  type GrantList,
  hostOf,
  issuersOverlap,
} from '../../identity-provider/grant.ts';
import { parseProviderUrl } from '../../identity-provider/provider-url.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { listOwnProviders } from '../providers/provider-ownership.ts';
import { refuseInput } from '../read-input.ts';
import { planGrant, showGrants, writeGrant } from './change-grant.ts';

function checkUrl(
  { allowLoopbackProviders: allowLoopback }: ManagementContext,
  issuer: string,
): void {
  parseProviderUrl(issuer, 'issuer', { allowLoopback, field: 'issuer' });
}

/**
 * What is granted at the host of an issuer: which trunk groups may register which issuers there. A
 * limited caller sees those of its trunk groups.
 */
export async function findIssuerGrants(
  context: ManagementContext,
  issuer: string,
): Promise<GrantList> {
  checkUrl(context, issuer);
  return showGrants(context, await context.issuerGrants.find(hostOf(issuer)));
}

/** @returns why not, if another trunk group has registered an issuer that the grant has. */
async function findRegistered(
  context: ManagementContext,
  grant: Grant,
  leave: readonly string[],
): Promise<string | undefined> {
  if (grant.trunkGroups.length === 0) return undefined;
  for (const { issuer, trunkGroups } of await listOwnProviders(context)) {
    const isTheirs = trunkGroups.every((group) => grant.trunkGroups.includes(group));
    if (isTheirs || leave.includes(issuer) || findIssuerGrant([grant], issuer) === undefined) {
      continue;
    }
    return `${issuer} is registered for the service trunk groups ${trunkGroups.join(', ')}: delete or assign that provider first, or say that they keep it (leave)`;
  }
  return undefined;
}

/**
 * Lets trunk groups register an issuer and those below its path, in addition to the number that
 * their limits name, or withdraws it. What is registered goes on.
 *
 * @throws {RefusedError} if the grant overlaps with another one, the list of the host is full, or
 *   another trunk group has registered such an issuer.
 * @throws {ConflictError} if the grants at the host were changed in the meantime, or another trunk
 *   group registered such an issuer.
 */
export async function setIssuerGrant(
  context: ManagementContext,
  issuer: string,
  grant: v.InferOutput<typeof newIssuerGrant>,
): Promise<GrantList> {
  const { leave = [] } = grant;
  requireEveryTrunkGroup(context, 'A grant');
  checkUrl(context, issuer);
  const problem = findIssuerGrantProblem(issuer);
  if (problem !== undefined) refuseInput('issuer', issuer, problem);
  const normalized = { value: issuer, trunkGroups: [...new Set(grant.trunkGroups)].toSorted() };
  const before = await context.issuerGrants.find(hostOf(issuer));
  const after = planGrant(
    { now: currentTime(context), before },
    { grant: normalized, overlaps: issuersOverlap, seen: grant },
  );
  const registered = await findRegistered(context, normalized, leave);
  if (registered !== undefined) throw new RefusedError(registered);
  await writeGrant(context, { before, after }, issuer);
  // One that was registered while the grant was written.
  const meanwhile = await findRegistered(context, normalized, leave);
  if (meanwhile === undefined) return after;
  throw new ConflictError(`the grant is written, and meanwhile ${meanwhile}`);
}
