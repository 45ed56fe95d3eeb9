import { deployedRegions } from '../../contract/deployment-config.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { scopeName } from '../../contract/scopes.ts';
import type { ManagementContext } from './management-context.ts';

export function describeDeployment(
  context: ManagementContext,
): OperationResult<'describeDeployment'> {
  const { config, trunkGroups, callerLimits } = context;
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
    dpop: config.dpop && { audiences: config.dpop.audiences, default: config.dpop.default },
    regions: deployedRegions(config),
    reach: callerLimits && { ...callerLimits, trunkGroups },
  };
}
