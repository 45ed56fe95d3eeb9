import { userInfo } from 'node:os';
import { createManagementContext } from '../adapters/management-context.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { withAuditFile } from './audit-file.ts';
import type { Deployment } from './deployment.ts';

export interface OpenOptions {
  /** File that each audit record is also appended to, one JSON document per line. */
  readonly auditFile?: string | undefined;
  readonly warn: (text: string) => void;
}

/** The management library on a deployment's tables. */
export function openManagement(deployment: Deployment, options: OpenOptions): ManagementContext {
  const { auditFile, warn } = options;
  const { config, aws, allowLoopbackProviders, ca, isLoopback } = deployment;
  const context = createManagementContext({
    config,
    aws,
    allowLoopbackProviders,
    ca,
    // On AWS, AWS identifies the caller. On this machine there is only the login name.
    ...(isLoopback && { actor: async () => `local:${userInfo().username}` }),
    onMalformedRecord: (error) => warn(`left out: ${error.message}`),
    onAuditGap: (record) =>
      warn(
        `warning: the change was made, but its outcome could not be written to the audit (${record.recordId})`,
      ),
  });
  return auditFile === undefined
    ? context
    : { ...context, audit: withAuditFile(context.audit, auditFile) };
}
