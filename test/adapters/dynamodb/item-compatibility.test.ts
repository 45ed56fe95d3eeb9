import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeySchema, toApiKeyItem } from '../../../adapters/dynamodb/api-key-item.ts';
import { auditSchema, toAuditItem } from '../../../adapters/dynamodb/audit-item.ts';
import { clientSchema, toClient, toClientItem } from '../../../adapters/dynamodb/client-item.ts';
import { issuerGrantsSchema, subjectGrantsSchema } from '../../../adapters/dynamodb/grant-item.ts';
import {
  identityProviderSchema,
  toIdentityProviderItem,
} from '../../../adapters/dynamodb/identity-provider-item.ts';
import { type Item, toItem } from '../../../adapters/dynamodb/item.ts';
import { personNameSchema } from '../../../adapters/dynamodb/person-names.ts';
import {
  providerOwnerSchema,
  toProviderOwnerItem,
} from '../../../adapters/dynamodb/provider-owner-item.ts';
import {
  choiceSchema,
  heartbeatSchema,
  intentSchema,
  toKeyIntentItem,
} from '../../../adapters/dynamodb/rotation-item.ts';
import { signingKeySchema, toSigningKeyItem } from '../../../adapters/dynamodb/signing-key-item.ts';
import {
  toTrunkGroupLimitsItem,
  trunkGroupLimitsSchema,
} from '../../../adapters/dynamodb/trunk-group-limits-item.ts';
import { workloadUseSchema } from '../../../adapters/dynamodb/workload-use.ts';
import { type ItemKind, parsers } from '../../../lab/support/items/parsers.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';
import { release } from '../../../lab/tools/public-interface/files.ts';
import { root } from '../../architecture/source-files.ts';
import { apiKey, auditRecord, client, identityProvider } from '../../support/arbitraries.ts';
import {
  findNewAttribute,
  type Items,
  itemsOf,
  keptItems,
  newestRelease,
  type Parsers,
  parsersOf,
  releases,
} from '../../support/kept-items.ts';

/** What 0.2.0 writes and reads. Deployments may go back to it (docs/upgrade.md). */
const firstRelease = {
  'items.json': 'bf13aadb1cf4f36aa6a44bab3d2e0dd112f36603f74091800b85978c8530c797',
  'parsers.mjs': '828c466ff4abe8616c4d461c2678410a0d7b708e4cf8f6ea619da74ed440bf72',
};

const kinds = Object.keys(parsers) as ItemKind[];

/** The part of the changelog about this version. */
const { changelog } = release([]);

function readAll(read: Parsers, items: Items): void {
  for (const [kind, all] of Object.entries(items)) {
    for (const item of all) read[kind as ItemKind]?.(item);
  }
}

/** What this version writes of an item that it has read. */
const rewrite: Readonly<Partial<Record<ItemKind, (item: Item) => Item>>> = {
  client: (item) => toClientItem(toClient(parsers.client(item))),
  api_key: (item) => toApiKeyItem(parsers.api_key(item)),
  identity_provider: (item) => toIdentityProviderItem(parsers.identity_provider(item)),
  signing_key: (item) => toSigningKeyItem(parsers.signing_key(item)),
  key_intent: (item) => toKeyIntentItem(parsers.key_intent(item)),
  trunk_group_limits: (item) => toTrunkGroupLimitsItem(parsers.trunk_group_limits(item)),
  provider_owner: (item) => toProviderOwnerItem(parsers.provider_owner(item)),
};

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
  subject_grants: subjectGrantsSchema,
  issuer_grants: issuerGrantsSchema,
  workload_use: workloadUseSchema,
  person: personNameSchema,
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
    const content = readFileSync(join(keptItems, '0.2.0', name));
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  });
});

describe('this version', () => {
  it.each(releases)('reads every item that %s writes', (kept) => {
    expect(() => readAll(parsers, itemsOf(kept))).not.toThrow();
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
    const released = /^## (\d+\.\d+\.\d+)/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
    expect(releases, 'run node lab/tools/keep-item-format.ts').toContain(released?.[1]);
  });

  it.each(kinds)(
    'reads every %s that uses nothing new, and refuses the others by a name of the changelog',
    async (kind) => {
      const read = (await parsersOf(newestRelease))[kind];
      if (read === undefined) return expect(changelog).toContain(`\`${kind}\``);
      const unknown = writeSamples()[kind].map((item) => findNewAttribute(read, item));
      expect(unknown, 'a plain one').toContain(undefined);
      for (const path of unknown.filter((one) => one !== undefined)) {
        expect(changelog).toContain(`\`${path.split('.').at(-1)}\``);
      }
    },
  );

  it.each(Object.entries(rewrite))(
    'reads every %s of its own after this version has changed it',
    async (kind, write) => {
      const read = (await parsersOf(newestRelease))[kind as ItemKind];
      const items = itemsOf(newestRelease)[kind as ItemKind] ?? [];
      expect(items).not.toEqual([]);
      for (const item of items) expect(() => read?.(write(item))).not.toThrow();
    },
  );

  it('reads everything else that this version can write, but for attributes that are new', async () => {
    const read = (await parsersOf(newestRelease)) as Required<Parsers>;
    const all = fc.record({ client, apiKey, identityProvider, auditRecord });
    fc.assert(
      fc.property(all, (some) => {
        findNewAttribute(read.client, toClientItem(some.client));
        findNewAttribute(read.api_key, toApiKeyItem(some.apiKey));
        findNewAttribute(read.identity_provider, toIdentityProviderItem(some.identityProvider));
        read.audit(toItem(toAuditItem(some.auditRecord)));
      }),
    );
  });

  it.each(releases.slice(1).map((kept, at) => [releases[at] ?? '', kept] as const))(
    '%s reads items of %s that use nothing new',
    async (before, kept) => {
      const read = await parsersOf(before);
      for (const [kind, items] of Object.entries(itemsOf(kept))) {
        const parse = read[kind as ItemKind];
        if (parse === undefined) continue;
        const unknown = items.map((item) => findNewAttribute(parse, item));
        expect(unknown, kind).toContain(undefined);
      }
    },
  );

  it.each(kinds)('refuses an attribute of %s that it does not know', async (kind) => {
    const read = (await parsersOf(newestRelease))[kind];
    if (read === undefined) return;
    const [item = {}] = itemsOf(newestRelease)[kind] ?? [];
    expect(() => read({ ...item, added_later: true })).toThrow(
      'added_later: expected no such attribute',
    );
    expect(() => read({ ...item, schema_version: 2 })).toThrow('schema_version');
  });
});
