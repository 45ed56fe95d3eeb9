import { deployedRegions } from '../../contract/deployment-config.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { scopeName } from '../../contract/scopes.ts';
import { buildTimeline, type TimelineEntry } from '../key-rotation/timeline.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

/** What a person who manages clients needs to know about the deployment. */
export function describeDeployment(
  context: ManagementContext,
): OperationResult<'describeDeployment'> {
  const { config, trunkGroups, grants } = context;
  return {
    name: config.name,
    issuer: config.issuer,
    defaultAudience: config.defaultAudience,
    tokenLifetime: config.tokenLifetime,
    scopes: config.scopes.map((scope) => ({ ...scope, scope: scopeName(scope) })),
    ...(config.federatedClients && { acceptsAssertions: true as const }),
    clientKeys: config.clientKeys && {
      algorithms: config.clientKeys.algorithms,
      only: config.clientKeys.only,
    },
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
