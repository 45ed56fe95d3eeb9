import type { CopiedRow } from '../../adapters/dynamodb/copy-table.ts';
import { collect } from '../../core/collect.ts';
import { makeAuditedChange } from '../../core/management/audited-change.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command, option } from '../command-spec.ts';
import { countOutcomes, fromOption, readTable, tableArgument, targetOf } from './table-options.ts';
import { restore } from './table-restore.ts';

const harmless: ReadonlySet<CopiedRow['outcome']> = new Set(['copied', 'present']);

function print(cli: Cli, rows: readonly CopiedRow[]): void {
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
    const table = readTable(name, ['clients', 'apiKeys', 'identityProviders', 'signingKeys']);
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
    print(cli, rows);
    if (rows.some(({ outcome }) => !harmless.has(outcome))) cli.answerNo();
  },
});

export const tableCommands: CommandGroup = {
  name: 'table',
  summary: 'Restore or copy the items of whole tables',
  commands: [restore, copy],
};
