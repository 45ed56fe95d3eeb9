import { deployedRegions } from '../../contract/deployment-config.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import { type ScopeDefinition, scopeName } from '../../contract/scopes.ts';
import { buildTimeline, type TimelineEntry } from '../key-rotation/timeline.ts';
import { currentTime, type GrantReach, type ManagementContext } from './management-context.ts';

/** What the caller of the management function reaches. */
interface CallerReach extends GrantReach {
  /** Every service trunk group if left out. */
  readonly trunkGroups?: readonly string[] | undefined;
}

/** What a person who manages clients needs to know about the deployment. */
interface DeploymentDescription {
  readonly name: string;
  /** Undefined if the config names none, as without a domain. */
  readonly issuer: string | undefined;
  readonly defaultAudience: string;
  /** Seconds. */
  readonly tokenLifetime: ManagementConfig['tokenLifetime'];
  /** The catalogue: the scopes that clients may have. */
  readonly scopes: readonly (ScopeDefinition & { readonly scope: string })[];
  /** Whether clients get tokens for assertions of their provider; undefined if not. */
  readonly acceptsAssertions?: true | undefined;
  /** A function of 0.2.0, which has no such field, refuses a person with a name. */
  readonly recordsNames?: true | undefined;
  readonly regions: readonly { readonly id: RegionId; readonly awsRegion: string }[];
  /** Undefined without the management function, which enforces it. */
  readonly reach?: CallerReach | undefined;
}

export function describeDeployment(context: ManagementContext): DeploymentDescription {
  const { config, trunkGroups, grants } = context;
  return {
    name: config.name,
    issuer: config.issuer,
    defaultAudience: config.defaultAudience,
    tokenLifetime: config.tokenLifetime,
    scopes: config.scopes.map((scope) => ({ ...scope, scope: scopeName(scope) })),
    ...(config.federatedClients && { acceptsAssertions: true as const }),
    recordsNames: true,
    regions: deployedRegions(config),
    reach: grants && { ...grants, trunkGroups },
  };
}

/** Every signing key of every region with its state, its times and what comes next for it. */
export async function listSigningKeys(
  context: ManagementContext,
): Promise<readonly TimelineEntry[]> {
  const keys = await context.signingKeys.listSigningKeys();
  return buildTimeline(keys, context.config.signingKeyPolicy, currentTime(context));
}
