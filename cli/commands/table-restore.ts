import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { deployedTableName } from '../../contract/tables.ts';
import { seconds } from '../../core/clock.ts';
import type { ManagementContext } from '../../core/management/management-context.ts';
import { auditDays } from '../../core/restore/audit-views.ts';
import {
  type RestoredRow,
  type RestoredTables,
  type RestoreOptions,
  restorableApiKeys,
  restorableClients,
  restorableProviders,
  restoreItems,
} from '../../core/restore/restore-items.ts';
import { parseTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';
import { command, mandatory, option, repeatable } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';
import { countOutcomes, fromOption, readTable, tableArgument, targetOf } from './table-options.ts';

type Restore = (
  context: ManagementContext,
  from: RestoredTables,
  options: RestoreOptions,
) => Promise<readonly RestoredRow[]>;

const restores = {
  clients: (context, from, options) =>
    restoreItems(context, restorableClients(context, from.clients), options),
  apiKeys: (context, from, options) =>
    restoreItems(context, restorableApiKeys(context, from.apiKeys), options),
  identityProviders: (context, from, options) =>
    restoreItems(context, restorableProviders(context, from.identityProviders), options),
} as const satisfies Readonly<Record<string, Restore>>;

function readRestorePoint(text: string, now: number): number {
  const time = parseTime(text);
  if (time !== undefined && time <= now) return time;
  throw new UsageError(
    `--restore-point: received "${text}"; allowed: a time in the past, RFC 3339, e.g. 2026-11-20T08:00:00Z`,
  );
}

/**
 * The AWS regions whose audit is read: those of the deployment, without and with those of the
 * options.
 */
function auditedRegions(
  config: DeploymentConfig,
  withoutAudit: readonly string[] = [],
  alsoAudit: readonly string[] = [],
): readonly string[] {
  const own = deployedRegions(config).map(({ awsRegion }) => awsRegion);
  const unknown = withoutAudit.find((region) => !own.includes(region));
  if (unknown !== undefined) {
    throw new UsageError(`--without-audit: received "${unknown}"; allowed: ${own.join(', ')}`);
  }
  return [...new Set([...own.filter((one) => !withoutAudit.includes(one)), ...alsoAudit])];
}

function print(cli: Cli, rows: readonly RestoredRow[]): void {
  cli.output.printList<RestoredRow>(rows, {
    view: ({ id, name, outcome, because, lookAt }) => ({
      id,
      name,
      outcome,
      because,
      look_at: lookAt,
    }),
    id: ({ id }) => id,
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      outcome: ({ outcome }) => outcome,
      because: ({ because }) => because.join('; '),
    },
    none: 'The restored table is empty.',
  });
  for (const { id, lookAt } of rows) {
    for (const text of lookAt) cli.output.note(`Look at ${id}: ${text}.`);
  }
  cli.output.note(countOutcomes(rows));
}

export const restore = command({
  name: 'restore',
  summary:
    'Restore the items of a table that DynamoDB restored, without access that was revoked since',
  arguments: [tableArgument],
  options: [
    fromOption(),
    mandatory(
      option(
        '--restore-point <time>',
        'restore point of that table, RFC 3339: the audit since then is replayed',
      ),
    ),
    option('--dry-run', 'only show what would be restored'),
    repeatable(
      '--undelete <id>',
      'restore it although the audit says that it was deleted; may be repeated',
    ),
    repeatable(
      '--also-audit <aws-region>',
      'also read the audit of a region that the deployment has left; may be repeated',
    ),
    repeatable(
      '--without-audit <aws-region>',
      'continue although this region cannot be read: what was revoked there is valid again',
    ),
  ],
  examples: [
    'table restore clients --from authorization-server-restored-clients --restore-point 2026-11-20T08:00:00Z --dry-run',
    'table restore api-keys --from authorization-server-restored-api-keys --restore-point 2026-11-20T08:00:00Z',
    'table restore clients --from authorization-server-restored-clients --restore-point 2026-11-20T08:00:00Z --undelete client_4fWqEXAMPLE',
  ],
  run: async (cli, [name], options) => {
    const { from, dryRun = false, undelete = [], withoutAudit = [] } = options;
    const table = readTable(name, ['clients', 'apiKeys', 'identityProviders']);
    const to = targetOf(cli, table, from);
    const { config } = cli.deployment();
    const regions = auditedRegions(config, options.withoutAudit, options.alsoAudit);
    const now = seconds(Date.now());
    const since = readRestorePoint(options.restorePoint, now);
    for (const region of withoutAudit) {
      cli.output.warn(
        `warning: ${deployedTableName(config, 'audit')} of ${region} is not read; what was revoked there since then is valid again`,
      );
    }
    if (!dryRun) await cli.confirm(`Restore items of ${from} into ${to}?`);
    const tables = await cli.tables();
    const context = await cli.tableContext();
    const rows = await restores[table](context, tables.restored(from), {
      readAudit: () => tables.readAudit(regions, auditDays(since, now)),
      undelete: new Set(undelete),
      dryRun,
    });
    print(cli, rows);
  },
});
