import { bindManagement, type Management } from '../adapters/bind-management.ts';
import { managementOperations, type OperationName } from '../contract/management/operations.ts';
import type { Deployment } from './deployment.ts';
import { type OpenOptions, reports } from './open-options.ts';
import { UsageError } from './usage-error.ts';

/** What stops a credential, and what shows it before. */
function isBreakGlass(name: OperationName): boolean {
  if (name === 'findClient' || name === 'findApiKey') return true;
  // A trunk group is found by an index, which takes the function.
  if (name === 'setTrunkGroupEnabled') return false;
  return (managementOperations[name].guards as readonly string[]).includes('stop');
}

async function refuseOperation(): Promise<never> {
  throw new UsageError(
    '--through tables: allowed for client show, disable, enable and revoke-tokens, client-secret disable, and api-key show, disable and enable, while the management function fails; leave the option out',
  );
}

/** The operations that stop access. The tables are not for everyday work. */
function breakGlassOnly(management: Management): Management {
  const names = Object.keys(managementOperations) as OperationName[];
  const refused = names
    .filter((name) => !isBreakGlass(name))
    .map((name) => [name, refuseOperation] as const);
  return {
    ...management,
    ...(Object.fromEntries(refused) as Partial<Management>),
    forCaller: (caller) => breakGlassOnly(management.forCaller(caller)),
  };
}

/**
 * The management of a deployment, through its management function, which writes the audit itself.
 * While the function fails: what stops access, on the tables.
 */
export async function openManagement(
  deployment: Deployment,
  options: OpenOptions,
): Promise<Management> {
  // Each way loads only its own client of the SDK.
  if (deployment.through === 'tables') {
    const { openTableContext } = await import('./open-table-context.ts');
    return breakGlassOnly(bindManagement(openTableContext(deployment, options)));
  }
  const { createManagement } = await import('../adapters/management.ts');
  const { config, aws } = deployment;
  return createManagement({ config, aws, ...reports(options) });
}
