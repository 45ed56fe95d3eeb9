import { bindManagement, createManagement, type Management } from '../adapters/management.ts';
import { appendToFile } from './audit-file.ts';
import type { Deployment } from './deployment.ts';
import { type OpenOptions, reports } from './open-options.ts';

/**
 * The management of a deployment: on its tables, or through its management function, which writes
 * the audit itself and returns what it wrote.
 */
export async function openManagement(
  deployment: Deployment,
  options: OpenOptions,
): Promise<Management> {
  const { auditFile } = options;
  if (deployment.through === 'tables') {
    // The SDK's client of DynamoDB is loaded only for it.
    const { openTableContext } = await import('./open-table-context.ts');
    return bindManagement(openTableContext(deployment, options));
  }
  const { config, aws } = deployment;
  return createManagement({
    through: 'function',
    config,
    aws,
    ...reports(options),
    onAudited: auditFile === undefined ? undefined : (record) => appendToFile(auditFile, record),
  });
}
