import { createManagementContext } from '../adapters/management-tables.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import type { Deployment } from './deployment.ts';
import { createGetCaller } from './get-caller.ts';
import { type OpenOptions, reports } from './open-options.ts';

/** The management library on a deployment's tables. */
export function openTableContext(deployment: Deployment, options: OpenOptions): ManagementContext {
  const { config, aws, allowLoopbackProviders, ca } = deployment;
  return createManagementContext({
    // The operators' policies allow no index.
    useIndexes: false,
    config,
    aws,
    allowLoopbackProviders,
    ca,
    actor: createGetCaller(deployment),
    ...reports(options),
  });
}
