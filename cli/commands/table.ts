import type { CopiedRow, CopiedTable } from '../../adapters/dynamodb/stores/copy-table.ts';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { deployedTableName, tables } from '../../contract/tables.ts';
import { seconds } from '../../core/clock.ts';
import {
  type ManagementContext,
  makeAuditedChange,
} from '../../core/management/management-context.ts';
import { collect } from '../../core/paging.ts';
import { auditDays } from '../../core/restore/audit-views.ts';
import type { RestoredTables } from '../../core/restore/restore-items.ts';
import {
  type RestoredRow,
  type RestoreOptions,
  restorableApiKeys,
  restorableClients,
  restorableProviders,
  restoreItems,
} from '../../core/restore/restore-items.ts';
import { restoreSettings } from '../../core/restore/restore-settings.ts';
import { parseTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command, mandatory, option, repeatable } from '../command-spec.ts';
import { refuse, UsageError } from '../usage-error.ts';

const tableArgument = [
  'table',
  'clients, api-keys, identity-providers, settings or, to copy, signing-keys',
] as const;

const fromOption = () =>
  mandatory(option('--from <table>', 'full name of the table to read, in AWS_REGION'));

/** Reads the suffix of a table's name: `api-keys`. */
function readTable<T extends CopiedTable>(name: string | undefined, allowed: readonly T[]): T {
  const found = allowed.find((key) => tables[key].suffix === name);
  if (found !== undefined) return found;
  const names = allowed.map((key) => tables[key].suffix).join(', ');
  return refuse('table', name, names);
}

/** The deployment's own table. */
function targetOf(cli: Cli, table: CopiedTable, from: string): string {
  const target = deployedTableName(cli.deployment().config, table);
  if (from !== target) return target;
  throw new UsageError(
    `--from: received "${from}", which is the deployment's own table; allowed: another one`,
  );
}

/** `2 restored, 1 dropped`. */
function countOutcomes(rows: readonly { readonly outcome: string }[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of rows) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}

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
  settings: (context, from, options) => restoreSettings(context, from.settings, options),
} as const satisfies Readonly<Record<string, Restore>>;

function readRestorePoint(text: string, now: number): number {
  const time = parseTime(text);
  if (time !== undefined && time <= now) return time;
  return refuse('--restore-point', text, 'a time in the past, RFC 3339, e.g. 2026-11-20T08:00:00Z');
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
    return refuse('--without-audit', unknown, own.join(', '));
  }
  return [...new Set([...own.filter((one) => !withoutAudit.includes(one)), ...alsoAudit])];
}

function printRestored(cli: Cli, rows: readonly RestoredRow[]): void {
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

const restore = command({
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
    const table = readTable(name, ['clients', 'apiKeys', 'identityProviders', 'settings']);
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
    printRestored(cli, rows);
  },
});

const copiedTables = [
  'clients',
  'apiKeys',
  'identityProviders',
  'signingKeys',
  'settings',
] as const;

const harmless: ReadonlySet<CopiedRow['outcome']> = new Set(['copied', 'present']);

function printCopied(cli: Cli, rows: readonly CopiedRow[]): void {
  cli.output.printList<CopiedRow>(rows, {
    view: ({ id, outcome, because }) => ({ id, outcome, because }),
    id: ({ id }) => id,
    columns: {
      id: ({ id }) => id,
      outcome: ({ outcome }) => outcome,
      because: ({ because }) => because,
    },
    none: 'Both tables are empty.',
  });
  cli.output.note(countOutcomes(rows));
}

const copy = command({
  name: 'copy',
  summary: "Copy a table's items to the deployment's own table, unless it already has their id",
  arguments: [tableArgument],
  options: [fromOption(), option('--dry-run', 'only show what would be copied')],
  examples: [
    'table copy clients --from authorization-server-clients --dry-run',
    'table copy signing-keys --from authorization-server-signing-keys --yes',
  ],
  run: async (cli, [name], { from, dryRun = false }) => {
    const table = readTable(name, copiedTables);
    const to = targetOf(cli, table, from);
    const tables = await cli.tables();
    const run = () => collect(tables.copy({ table, from, to, dryRun }));
    let rows: readonly CopiedRow[] = [];
    if (dryRun) rows = await run();
    else {
      await cli.confirm(`Copy every item of ${from} into ${to}?`);
      const change = { action: 'table.copy', subject: to, after: { from } };
      await makeAuditedChange(await cli.tableContext(), change, async () => {
        rows = await run();
      });
    }
    printCopied(cli, rows);
    if (rows.some(({ outcome }) => !harmless.has(outcome))) cli.answerNo();
  },
});

export const tableCommands: CommandGroup = {
  name: 'table',
  summary: 'Restore or copy the items of whole tables',
  commands: [restore, copy],
};
