import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeySchema, toApiKeyItem } from '../../../adapters/dynamodb/api-key-item.ts';
import { auditSchema, toAuditItem } from '../../../adapters/dynamodb/audit-item.ts';
import { clientSchema, toClientItem } from '../../../adapters/dynamodb/client-item.ts';
import {
  dailyReportPartSchema,
  dailyStateSchema,
} from '../../../adapters/dynamodb/daily-report-item.ts';
import {
  identityProviderSchema,
  toIdentityProviderItem,
} from '../../../adapters/dynamodb/identity-provider-item.ts';
import { type Item, toItem } from '../../../adapters/dynamodb/item.ts';
import { providerOwnerSchema } from '../../../adapters/dynamodb/provider-owner-item.ts';
import {
  choiceSchema,
  heartbeatSchema,
  intentSchema,
} from '../../../adapters/dynamodb/rotation-item.ts';
import { signingKeySchema } from '../../../adapters/dynamodb/signing-key-item.ts';
import { trunkGroupLimitsSchema } from '../../../adapters/dynamodb/trunk-group-limits-item.ts';
import { type ItemKind, parsers } from '../../../lab/support/items/parsers.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import { root } from '../../architecture/source-files.ts';
import { apiKey, auditRecord, client, identityProvider } from '../../support/arbitraries.ts';

type Items = Readonly<Record<ItemKind, readonly Item[]>>;
type Parsers = Readonly<Record<ItemKind, (item: Item) => unknown>>;

const directory = join(root, 'test/fixtures/items');

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [
    number[],
    number[],
  ];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** Releases whose formats are kept, the oldest first. */
const releases = readdirSync(directory).toSorted(compareVersions);

function itemsOf(release: string): Items {
  return JSON.parse(readFileSync(join(directory, release, 'items.json'), 'utf8')) as Items;
}

/** The parsers that the release was published with. */
async function parsersOf(release: string): Promise<Parsers> {
  const kept = (await import(join(directory, release, 'parsers.mjs'))) as { parsers: Parsers };
  return kept.parsers;
}

/** What 2648148 writes and reads. Deployments may go back to it (docs/upgrade.md). */
const firstRelease = {
  'items.json': '66d5030a0ead1bd907384f577da48811b1a2d7f643b0decbcd930f456a967acf',
  'parsers.mjs': 'ea3eb0f93dd9a97ae5232498629610fc086bfc94dbf080ccc7d79e38782d0083',
};

const kinds = Object.keys(parsers) as ItemKind[];
const newest = releases.at(-1) ?? '';

/**
 * Kinds that are newer than a release. It must ignore them: they are in a partition of the signing
 * keys' table that it does not read.
 */
const newKinds: readonly ItemKind[] = [
  'trunk_group_limits',
  'provider_owner',
  'daily_state',
  'daily_report',
];

function readAll(read: Parsers, items: Items): void {
  for (const kind of kinds) {
    if (newKinds.includes(kind) && (read[kind] === undefined || items[kind] === undefined))
      continue;
    for (const item of items[kind]) read[kind](item);
  }
}

/** Each attribute of an item, with those of what is within: `secrets.*.hash`. */
function attributePaths(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => attributePaths(entry, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => [
    `${path}${name}`,
    ...attributePaths(entry, `${path}${name}.`),
  ]);
}

/** What a strict schema knows. */
interface Schema {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly pipe?: readonly Schema[];
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly options?: readonly Schema[];
  readonly value?: Schema;
}

/** Every attribute that a schema knows, in lists, maps, options and pipes as well. */
function schemaPaths(schema: Schema | undefined, path = ''): readonly string[] {
  if (schema === undefined || typeof schema !== 'object') return [];
  const { entries = {}, pipe = [], wrapped, item, options = [] } = schema;
  // The keys of a map are ids.
  const values = schema.type === 'record' ? schemaPaths(schema.value, `${path}*.`) : [];
  return [
    ...Object.entries(entries).flatMap(([name, entry]) => [
      `${path}${name}`,
      ...schemaPaths(entry, `${path}${name}.`),
    ]),
    ...pipe.filter((part) => part !== schema).flatMap((part) => schemaPaths(part, path)),
    ...options.flatMap((option) => schemaPaths(option, path)),
    ...schemaPaths(wrapped, path),
    ...schemaPaths(item, path),
    ...values,
  ];
}

const schemas: Readonly<Record<ItemKind, unknown>> = {
  client: clientSchema,
  api_key: apiKeySchema,
  identity_provider: identityProviderSchema,
  signing_key: signingKeySchema,
  key_intent: intentSchema,
  region_heartbeat: heartbeatSchema,
  key_choice: choiceSchema,
  audit: auditSchema,
  trunk_group_limits: trunkGroupLimitsSchema,
  provider_owner: providerOwnerSchema,
  daily_state: dailyStateSchema,
  daily_report: dailyReportPartSchema,
};

/**
 * Attributes that this version reads and does not write yet, by kind: the next release may write
 * them (docs/upgrade.md).
 */
const readAhead: Readonly<Partial<Record<ItemKind, readonly string[]>>> = {
  api_key: ['expires_at'],
};

/** Ids within a client's `secrets`, and what the audit says of a state, are not attributes. */
function withoutIds(kind: ItemKind, paths: readonly string[]): readonly string[] {
  const named = paths.map((path) => path.replace(/^secrets\.secret_\d+/, 'secrets.*'));
  return named.filter(
    (path) => path !== 'secrets.*' && !(kind === 'audit' && /^(before|after)\./.test(path)),
  );
}

describe('the first release', () => {
  it.each(Object.entries(firstRelease))('has its own %s, which never changes', (name, sha256) => {
    const content = readFileSync(join(directory, '0.1.0', name));
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  });
});

describe('this version', () => {
  it.each(releases)('reads every item that %s writes', (release) => {
    expect(() => readAll(parsers, itemsOf(release))).not.toThrow();
  });

  it('has samples with every attribute that it reads, but for what it does not write yet', () => {
    const samples = writeSamples();
    for (const kind of kinds) {
      const known = new Set(schemaPaths(schemas[kind] as Schema));
      const shown = new Set(
        withoutIds(
          kind,
          samples[kind].flatMap((item) => attributePaths(item)),
        ),
      );
      expect(new Set([...shown, ...(readAhead[kind] ?? [])]), kind).toEqual(known);
    }
  });
});

describe('the release before', () => {
  it('is kept', () => {
    // What is unreleased has no version there.
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    const [, released] = /^## (\d+\.\d+\.\d+)/m.exec(changelog) ?? [];
    expect(releases, 'run node lab/tools/keep-item-format.ts').toContain(released);
  });

  it('reads every item that this version writes', async () => {
    const read = await parsersOf(newest);
    expect(() => readAll(read, writeSamples())).not.toThrow();
  });

  it('reads everything else that this version can write', async () => {
    const read = await parsersOf(newest);
    const all = fc.record({ client, apiKey, identityProvider, auditRecord });
    fc.assert(
      fc.property(all, (some) => {
        read.client(toClientItem(some.client));
        read.api_key(toApiKeyItem(some.apiKey));
        read.identity_provider(toIdentityProviderItem(some.identityProvider));
        read.audit(toItem(toAuditItem(some.auditRecord)));
      }),
    );
  });

  it.each(releases.slice(1).map((release, at) => [releases[at] ?? '', release] as const))(
    '%s reads every item that %s writes',
    async (before, release) => {
      const read = await parsersOf(before);
      expect(() => readAll(read, itemsOf(release))).not.toThrow();
    },
  );

  it.each(kinds.filter((kind) => !newKinds.includes(kind)))(
    'refuses an attribute of %s that it does not know',
    async (kind) => {
      const read = await parsersOf(newest);
      const [item = {}] = writeSamples()[kind];
      expect(() => read[kind]({ ...item, added_later: true })).toThrow(
        'added_later: expected no such attribute',
      );
      expect(() => read[kind]({ ...item, schema_version: 2 })).toThrow('schema_version');
    },
  );
});
