import { Option } from 'commander';
import { requiredSubnetText } from '../../contract/required-subnet.ts';
import { numberOrTyped, secondsOrTyped } from '../../core/duration.ts';
import type {
  LimitsCheck,
  TrunkGroupExcess,
} from '../../core/management/trunk-group-limits/check-limits.ts';
import {
  viewTrunkGroupLimits,
  wireNameOf,
} from '../../core/management/trunk-group-limits/limits-view.ts';
import {
  type GrantLimits,
  limitNames,
  type TrunkGroupLimits,
} from '../../core/trunk-group/trunk-group-limits.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, type CommandSpec, repeatable } from '../command-spec.ts';
import { type IfVersionOptions, ifVersionOption } from '../if-version-option.ts';
import type { Cell } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { readPages } from './list-options.ts';

const trunkGroup = ['trunk-group', 'service trunk group'] as const;

function cellOf(limits: GrantLimits, name: keyof GrantLimits): Cell {
  const value = limits[name];
  if (value === undefined) return name === 'ownProviders' ? 'none' : 'no limit';
  if (typeof value === 'object') return value.join(' ') || 'none';
  return typeof value === 'boolean' || !name.endsWith('Lifetime') ? value : `${value} s`;
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

const show: CommandSpec = {
  name: 'show',
  summary: 'Show the limits of a trunk group',
  arguments: [trunkGroup],
  examples: ['trunk-group-limits show tg-1001'],
  run: async (cli, [group = '']) => {
    printLimits(cli, await (await cli.management()).findTrunkGroupLimits(group));
  },
};

const check: CommandSpec = {
  name: 'check',
  summary: 'Show the limits of a trunk group, and what it has above them',
  arguments: [trunkGroup],
  examples: ['trunk-group-limits check tg-1001'],
  run: async (cli, [group = '']) => {
    const management = await cli.management();
    const limits = await management.findTrunkGroupLimits(group);
    printLimits(cli, limits, await management.checkTrunkGroupLimits(group));
  },
};

const list: CommandSpec = {
  name: 'list',
  summary: 'List the trunk groups that have limits',
  examples: ['trunk-group-limits list'],
  run: async (cli) => {
    const management = await cli.management();
    const pages = await readPages((cursor) => management.listTrunkGroupLimits({ cursor }));
    const all = pages.flatMap(({ items }) => items);
    cli.output.printList<TrunkGroupLimits>(all, {
      view: viewTrunkGroupLimits,
      id: ({ serviceTrunkGroup }) => serviceTrunkGroup,
      columns: {
        'trunk group': ({ serviceTrunkGroup }) => serviceTrunkGroup,
        clients: (limits) => cellOf(limits, 'maxClients'),
        'API keys': (limits) => cellOf(limits, 'maxApiKeys'),
        scopes: (limits) => cellOf(limits, 'scopes'),
        providers: (limits) => cellOf(limits, 'providers'),
      },
      none: 'No trunk group has limits.',
    });
  },
};

interface SetOptions extends IfVersionOptions {
  readonly scope?: readonly string[];
  /** False: `--no-scopes`. */
  readonly scopes: boolean;
  readonly maxClients?: number;
  readonly maxApiKeys?: number;
  readonly maxTokenLifetime?: string;
  readonly maxSecretLifetime?: string;
  readonly requireSubnet?: boolean;
  readonly provider?: readonly string[];
  readonly providers: boolean;
  readonly ownProviders?: number;
  readonly remove?: readonly string[];
  readonly dryRun?: boolean;
}

function countOption(flag: string, summary: string): Option {
  return new Option(`${flag} <count>`, summary).argParser(numberOrTyped);
}

function readRemoved(names: readonly string[] = []): readonly (keyof GrantLimits)[] {
  return names.map((given) => {
    const found = limitNames.find((name) => wireNameOf(name).replaceAll('_', '-') === given);
    if (found !== undefined) return found;
    const all = limitNames.map((name) => wireNameOf(name).replaceAll('_', '-')).join(', ');
    throw new UsageError(`--remove: received "${given}"; allowed: ${all}`);
  });
}

/** The limits that the options name. */
function readLimits(options: SetOptions): GrantLimits {
  const given: GrantLimits = {
    scopes: options.scopes ? options.scope : [],
    maxClients: options.maxClients,
    maxApiKeys: options.maxApiKeys,
    maxTokenLifetime: secondsOrTyped(options.maxTokenLifetime),
    maxSecretLifetime: secondsOrTyped(options.maxSecretLifetime),
    requireSubnet: options.requireSubnet,
    providers: options.providers ? options.provider : [],
    ownProviders: options.ownProviders,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const set: CommandSpec = {
  name: 'set',
  summary: 'Set limits of a trunk group; only the given ones change',
  arguments: [trunkGroup],
  options: [
    repeatable('--scope <scope>', 'a scope that may be granted; may be repeated'),
    new Option('--no-scopes', 'no scope may be granted').conflicts('scope'),
    countOption('--max-clients', 'how many clients it may have'),
    countOption('--max-api-keys', 'how many API keys it may have; 0: none are allowed'),
    new Option('--max-token-lifetime <duration>', 'longest lifetime of a token, e.g. 1h'),
    new Option('--max-secret-lifetime <duration>', 'longest life of a secret, e.g. 90d'),
    new Option('--require-subnet', `an API key must have subnets, ${requiredSubnetText}`),
    repeatable(
      '--provider <issuer>',
      'a registered provider under which it may create clients; may be repeated',
    ),
    new Option('--no-providers', 'no client under a provider').conflicts('provider'),
    countOption('--own-providers', 'how many providers it may register for itself'),
    repeatable('--remove <limit>', 'removes a limit, e.g. max-clients; may be repeated'),
    new Option('--dry-run', 'only show what would be above the limits'),
    ifVersionOption('trunk group'),
  ],
  examples: [
    'trunk-group-limits set tg-1001 --max-clients 20 --max-api-keys 5 --require-subnet',
    'trunk-group-limits set tg-1001 --scope messaging:view --max-secret-lifetime 90d --dry-run',
    'trunk-group-limits set tg-1001 --remove max-clients',
  ],
  run: async (cli, [group = ''], options: SetOptions) => {
    const removed = readRemoved(options.remove);
    const given = readLimits(options);
    if (removed.length + Object.keys(given).length === 0) {
      throw new UsageError(
        'nothing to set; add an option, see authctl trunk-group-limits set --help',
      );
    }
    const management = await cli.management();
    const before = await management.findTrunkGroupLimits(group);
    const kept = limitNames.filter((name) => !removed.includes(name) && before[name] !== undefined);
    const limits: GrantLimits = {
      ...Object.fromEntries(kept.map((name) => [name, before[name]])),
      ...given,
    };
    const { ifVersion = before.version, dryRun = false } = options;
    const after = dryRun
      ? { ...limits, serviceTrunkGroup: group, version: before.version }
      : await management.setTrunkGroupLimits(group, { ...limits, ifVersion });
    printLimits(cli, after, await management.checkTrunkGroupLimits(group, limits));
  },
};

export const trunkGroupLimitsCommands: CommandGroup = {
  name: 'trunk-group-limits',
  summary: 'Set what operators and customers may grant in a trunk group',
  commands: [set, show, check, list],
};
