import { deployedRegions } from '../../contract/deployment-config.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { scopeName } from '../../contract/scopes.ts';
import { buildTimeline, type TimelineEntry } from '../key-rotation/timeline.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

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
    dpop: config.dpop?.audiences,
    regions: deployedRegions(config),
    reach: grants && { ...grants, trunkGroups },
  };
}

export async function listSigningKeys(
  context: ManagementContext,
): Promise<readonly TimelineEntry[]> {
  const keys = await context.signingKeys.listSigningKeys();
  return buildTimeline(keys, context.config.signingKeyPolicy, currentTime(context));
}
