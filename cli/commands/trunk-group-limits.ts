import { Option } from 'commander';
import { limitWords } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import type {
  LimitsCheck,
  TrunkGroupExcess,
} from '../../core/management/trunk-group-limits/check-limits.ts';
import { viewTrunkGroupLimits } from '../../core/management/trunk-group-limits/limits-record.ts';
import { describeStops } from '../../core/stops.ts';
import {
  type Limits,
  limitNames,
  type TrunkGroupLimits,
} from '../../core/trunk-group/trunk-group-limits.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command, repeatable } from '../command-spec.ts';
import type { Cell, ListForm } from '../output.ts';
import { refuseUsage, UsageError } from '../usage-error.ts';
import { changeOptions, dashed, fieldCell, type OptionTexts, readFields } from './field-options.ts';
import { readItems } from './list-options.ts';
import { ifVersionOption } from './record-commands.ts';

const trunkGroup = ['trunk-group', 'service trunk group'] as const;

function cellOf(limits: Limits, name: keyof Limits): Cell {
  const value = limits[name];
  if (value === undefined) return limitWords[name].without?.toLowerCase() ?? 'no limit';
  if (typeof value === 'object') return value.join(' ') || 'none';
  return fieldCell(limitWords[name], value);
}

function viewExcess({ limit, ...excess }: TrunkGroupExcess): Record<string, unknown> {
  return { limit: wireNameOf(limit), ...excess };
}

/** @param check what the trunk group has above the limits, if the command looks at it. */
function printLimits(cli: Cli, limits: TrunkGroupLimits, check?: LimitsCheck): void {
  const { excesses = [], more } = check ?? {};
  const rows = excesses.map(({ limit, subject, name, received, allowed }) => [
    wireNameOf(limit).replaceAll('_', ' '),
    subject,
    name,
    received,
    allowed,
  ]);
  const fields = cli.output.fields([
    ['trunk group', limits.serviceTrunkGroup],
    limits.stops !== undefined && ['stopped', describeStops(limits.stops)],
    ...limitNames.map(
      (name) => [wireNameOf(name).replaceAll('_', ' '), cellOf(limits, name)] as const,
    ),
    ['version', limits.version],
  ]);
  const head = ['above limit', 'id', 'name', 'has', 'allowed'];
  cli.output.print({
    json: {
      ...viewTrunkGroupLimits(limits),
      ...(check !== undefined && { excesses: excesses.map(viewExcess), more_excesses: more }),
    },
    quiet: [limits.serviceTrunkGroup],
    text: rows.length === 0 ? fields : `${fields}\n\n${cli.output.table(head, rows)}`,
  });
  if (rows.length === 0) return;
  const count = more === true ? `More than ${rows.length}` : rows.length;
  cli.output.note(
    `${count} above the limits. They stay as they are; a change can only make them smaller.`,
  );
}

const show = command({
  name: 'show',
  summary: 'Show the limits of a trunk group',
  arguments: [trunkGroup],
  examples: ['trunk-group-limits show tg-1001'],
  run: async (cli, [group]) => {
    printLimits(cli, await cli.management.findTrunkGroupLimits(group));
  },
});

const check = command({
  name: 'check',
  summary: 'Show the limits of a trunk group, and what it has above them',
  arguments: [trunkGroup],
  examples: ['trunk-group-limits check tg-1001'],
  run: async (cli, [group]) => {
    const limits = await cli.management.findTrunkGroupLimits(group);
    printLimits(cli, limits, await cli.management.checkTrunkGroupLimits(group));
  },
});

const list = command({
  name: 'list',
  summary: 'List the trunk groups that have limits',
  examples: ['trunk-group-limits list'],
  run: async (cli) => {
    const pages = readItems(cli.output, (cursor) =>
      cli.management.listTrunkGroupLimits({ cursor }),
    );
    const form: ListForm<TrunkGroupLimits> = {
      view: viewTrunkGroupLimits,
      id: ({ serviceTrunkGroup }) => serviceTrunkGroup,
      row: (limits) => ({
        'trunk group': limits.serviceTrunkGroup,
        clients: cellOf(limits, 'maxClients'),
        'API keys': cellOf(limits, 'maxApiKeys'),
        scopes: cellOf(limits, 'scopes'),
        providers: cellOf(limits, 'providers'),
      }),
      none: 'No trunk group has limits.',
    };
    await cli.output.printPages(pages, () => form);
  },
});

/** The options of the limits by their names, and these. */
interface SetOptions extends OptionTexts {
  readonly ifVersion?: number;
  readonly remove?: readonly string[];
  readonly dryRun?: boolean;
}

function readRemoved(names: readonly string[] = []): readonly (keyof Limits)[] {
  return names.map((option) => {
    const found = limitNames.find((name) => dashed(name) === option);
    if (found !== undefined) return found;
    return refuseUsage('--remove', option, limitNames.map(dashed).join(', '));
  });
}

const set = command({
  name: 'set',
  summary: 'Set limits of a trunk group; only the given ones change',
  arguments: [trunkGroup],
  options: [
    ...changeOptions(limitWords, limitNames),
    repeatable('--remove <limit>', 'removes a limit, e.g. max-clients; may be repeated'),
    new Option('--dry-run', 'only show what would be above the limits'),
    ifVersionOption('trunk group'),
  ],
  examples: [
    'trunk-group-limits set tg-1001 --max-clients 20 --max-api-keys 5 --require-subnet',
    'trunk-group-limits set tg-1001 --scope messaging:view --max-secret-lifetime 90d --dry-run',
    'trunk-group-limits set tg-1001 --remove max-clients',
  ],
  run: async (cli, [group], options: SetOptions) => {
    const removed = readRemoved(options.remove);
    const changes = readFields(limitWords, limitNames, options) as Limits;
    if (removed.length + Object.keys(changes).length === 0) {
      throw new UsageError(
        'nothing to set; add an option, see authctl trunk-group-limits set --help',
      );
    }
    const before = await cli.management.findTrunkGroupLimits(group);
    const kept = limitNames.filter((name) => !removed.includes(name) && before[name] !== undefined);
    const limits: Limits = {
      ...Object.fromEntries(kept.map((name) => [name, before[name]])),
      ...changes,
    };
    const { ifVersion = before.version, dryRun = false } = options;
    const after = dryRun
      ? { ...limits, serviceTrunkGroup: group, version: before.version }
      : await cli.management.setTrunkGroupLimits(group, { ...limits, ifVersion });
    printLimits(cli, after, await cli.management.checkTrunkGroupLimits(group, limits));
  },
});

export const trunkGroupLimitsCommands: CommandGroup = {
  name: 'trunk-group-limits',
  summary: 'Set what operators and customers may give in a trunk group',
  commands: [set, show, check, list],
};
