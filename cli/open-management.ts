import { userInfo } from 'node:os';
import { bindManagement, createManagement, type Management } from '../adapters/management.ts';
import { createManagementContext } from '../adapters/management-context.ts';
import { createCallerIdentity } from '../adapters/sts/caller-identity.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { appendToFile, withAuditFile } from './audit-file.ts';
import type { Deployment } from './deployment.ts';

export interface OpenOptions {
  /** File that each audit record is also appended to, one JSON document per line. */
  readonly auditFile?: string | undefined;
  readonly warn: (text: string) => void;
}

function reports({ warn }: OpenOptions) {
  return {
    onMalformedRecord: (error: Error) => warn(`left out: ${error.message}`),
    onAuditGap: ({ recordId }: AuditRecord) =>
      warn(
        `warning: the change was made, but its outcome could not be written to the audit (${recordId})`,
      ),
  };
}

/** The management library on a deployment's tables. */
export function openTableContext(deployment: Deployment, options: OpenOptions): ManagementContext {
  const { auditFile } = options;
  const { config, aws, allowLoopbackProviders, ca } = deployment;
  const context = createManagementContext({
    config,
    aws,
    allowLoopbackProviders,
    ca,
    ...(deployment.isLoopback && { actor: () => findCaller(deployment) }),
    ...reports(options),
  });
  return auditFile === undefined
    ? context
    : { ...context, audit: withAuditFile(context.audit, auditFile) };
}

/**
 * The management of a deployment: on its tables, or through its management function, which writes
 * the audit itself and returns what it wrote.
 */
export function openManagement(deployment: Deployment, options: OpenOptions): Management {
  const { auditFile } = options;
  if (deployment.through === 'tables') return bindManagement(openTableContext(deployment, options));
  const { config, aws } = deployment;
  return createManagement({
    through: 'function',
    config,
    aws,
    ...reports(options),
    onAudited: auditFile === undefined ? undefined : (record) => appendToFile(auditFile, record),
  });
}

/** Who the audit names for changes of this process. */
export function findCaller({ aws, isLoopback }: Deployment): Promise<string> {
  // On AWS, AWS identifies the caller. On this machine there is only the login name.
  return isLoopback ? Promise.resolve(`local:${userInfo().username}`) : createCallerIdentity(aws)();
}
