import { isAwsDenial } from '../../contract/aws-denials.ts';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { deployedTableName, tables } from '../../contract/tables.ts';
import { RefusedError } from '../../core/errors.ts';
import { auditDays } from '../../core/restore/audit-views.ts';
import type { RestoredRow } from '../../core/restore/restore-items.ts';
import {
  type RestorableTable,
  restorableTables,
  restores,
} from '../../core/restore/restore-tables.ts';
import { parseTime, seconds } from '../../core/time.ts';
import { createFileShelf } from '../change-shelf.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command, mandatory, option, repeatable } from '../command-spec.ts';
import { refuseUsage, UsageError } from '../usage-error.ts';

/** The tables that can be restored, by their suffix: `api-keys`. */
const bySuffix = new Map<string | undefined, RestorableTable>(
  restorableTables.map((key) => [tables[key].suffix, key]),
);

const suffixes = [...bySuffix.keys()].join(', ');

/** `2 restored, 1 dropped`. */
function countOutcomes(rows: readonly { readonly outcome: string }[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of rows) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}

function readPast(option: string, text: string, now: number): number {
  const time = parseTime(text);
  if (time !== undefined && time <= now) return time;
  return refuseUsage(option, text, 'a time in the past, RFC 3339, e.g. 2026-11-20T08:00:00Z');
}

/** The times between which everything that was deleted comes back. */
function readBetween(from: string | undefined, to: string | undefined, now: number) {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) {
    throw new UsageError('--undelete-from and --undelete-to: give both, or neither');
  }
  readPast('--undelete-from', from, now);
  readPast('--undelete-to', to, now);
  const between = [Date.parse(from), Date.parse(to)] as const;
  return between[0] < between[1]
    ? between
    : refuseUsage('--undelete-to', to, 'a time after the other');
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
    return refuseUsage('--without-audit', unknown, own.join(', '));
  }
  return [...new Set([...own.filter((one) => !withoutAudit.includes(one)), ...alsoAudit])];
}

function printRestored(cli: Cli, rows: readonly RestoredRow[]): void {
  // What the next command takes.
  const { quiet } = cli.options;
  const shown = quiet === true ? rows.filter(({ outcome }) => outcome === 'restored') : rows;
  cli.output.printList<RestoredRow>(shown, {
    view: ({ id, name, outcome, because, lookAt }) => ({
      id,
      name,
      outcome,
      because,
      look_at: lookAt,
    }),
    id: ({ id }) => id,
    row: ({ id, name, outcome, because }) => ({ id, name, outcome, because: because.join('; ') }),
    none: 'The restored table is empty.',
  });
  for (const { id, lookAt } of rows) {
    for (const text of lookAt) cli.output.warn(`Look at ${id}: ${text}.`);
  }
}

/** What differs from the report, after the writes. */
function printDone(cli: Cli, reported: readonly RestoredRow[], rows: readonly RestoredRow[]): void {
  const before = new Map(reported.map((row) => [row.id, row]));
  for (const { id, outcome, lookAt } of rows) {
    const { outcome: foretold = outcome, lookAt: known = [] } = before.get(id) ?? {};
    const others = lookAt.filter((text) => !known.includes(text));
    for (const text of others) cli.output.warn(`Look at ${id}: ${text}.`);
    if (outcome !== foretold) cli.output.warn(`${id}: ${outcome}, and not ${foretold}`);
  }
  cli.output.note(`Written: ${countOutcomes(rows)}`);
}

/** Who can write signing keys can make tokens. */
const noPolicy = new RefusedError(
  'signing-keys: no operator policy may read and write them; docs/procedures/one-region-to-three.md has the permissions, for a person and for a time',
);

const restore = command({
  name: 'restore',
  summary:
    "Bring the items of a table of an earlier time, or of another place, to the deployment's own table, without access that was revoked since",
  arguments: [['table', suffixes]],
  options: [
    mandatory(option('--from <table>', 'full name of the table to read, in AWS_REGION')),
    mandatory(
      option(
        '--restore-point <time>',
        'time of that state, RFC 3339: the audit since then is replayed',
      ),
    ),
    option('--dry-run', 'only show what would be restored'),
    repeatable(
      '--undelete <id>',
      'restore it although the audit says that it was deleted; may be repeated',
    ),
    option('--undelete-from <time>', 'also restore everything that was deleted since this time'),
    option('--undelete-to <time>', 'and before this one'),
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
    'table restore clients --from authorization-server-restored-clients --restore-point 2026-11-20T08:00:00Z --undelete-from 2026-11-20T08:00:00Z --undelete-to 2026-11-20T09:00:00Z',
  ],
  run: async (cli, [name], options) => {
    const { from, dryRun = false, undelete = [], withoutAudit = [] } = options;
    const table = bySuffix.get(name) ?? refuseUsage('table', name, suffixes);
    const { config } = cli.deployment();
    const to = deployedTableName(config, table);
    if (from === to) refuseUsage('--from', from, "another table than the deployment's own");
    const regions = auditedRegions(config, options.withoutAudit, options.alsoAudit);
    const now = seconds(Date.now());
    const since = readPast('--restore-point', options.restorePoint, now);
    const { undeleteFrom, undeleteTo } = options;
    const undeleteBetween = readBetween(undeleteFrom, undeleteTo, now);
    for (const region of withoutAudit) {
      cli.output.warn(
        `warning: ${deployedTableName(config, 'audit')} of ${region} is not read; what was revoked there since then is valid again`,
      );
    }
    const whole = await cli.tables();
    const context = await cli.tableContext();
    const stored = whole.restored(from, ({ message }) => {
      cli.output.warn(`left out: ${message}`);
      cli.answerNo();
    });
    const shelf = createFileShelf();
    let reported: readonly RestoredRow[] = [];
    try {
      const rows = await restores[table](context, stored, {
        readAudit: (start = since) =>
          whole.readAudit(regions, auditDays(start, seconds(Date.now()))),
        shelf,
        report: async (foretold) => {
          reported = foretold;
          printRestored(cli, foretold);
          cli.output.note(countOutcomes(foretold));
          if (!dryRun) await cli.confirm(`Restore items of ${from} into ${to}?`);
        },
        progress: (text) => cli.output.progress(text),
        undelete: new Set(undelete),
        undeleteBetween,
        since,
        dryRun,
      });
      if (!dryRun) printDone(cli, reported, rows);
    } catch (error) {
      throw table === 'signingKeys' && isAwsDenial(error) ? noPolicy : error;
    } finally {
      shelf.close();
    }
  },
});

export const tableCommands: CommandGroup = {
  name: 'table',
  summary: 'Restore the items of whole tables',
  commands: [restore],
};
