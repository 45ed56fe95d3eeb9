import { describe, expect, it } from 'vitest';
import { apiKeySchema } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { auditSchema } from '../../../adapters/dynamodb/items/audit-item.ts';
import { clientSchema } from '../../../adapters/dynamodb/items/client-item.ts';
import {
  givenKeysSchema,
  identityProviderSchema,
} from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import {
  algorithmChoiceItem,
  canaryRunItem,
  heartbeatItem,
  keyIntentItem,
} from '../../../adapters/dynamodb/items/rotation-item.ts';
import { settingItems } from '../../../adapters/dynamodb/items/setting-items.ts';
import { signingKeyItem } from '../../../adapters/dynamodb/items/signing-key-item.ts';
import { type ItemKind, parsers } from '../../../lab/support/items/parsers.ts';
import { writeSamples } from '../../../lab/support/items/samples.ts';

const kinds = Object.keys(parsers) as ItemKind[];
const samples = writeSamples();

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
  given_keys: givenKeysSchema,
  signing_key: signingKeyItem.schema,
  key_intent: keyIntentItem.schema,
  region_heartbeat: heartbeatItem.schema,
  key_choice: algorithmChoiceItem.schema,
  canary_run: canaryRunItem.schema,
  audit: auditSchema,
  trunk_group_limits: settingItems.limits.schema,
  provider_owner: settingItems.owner.schema,
  subject_grants: settingItems.subject.schema,
  issuer_grants: settingItems.issuer.schema,
  person: settingItems.person.schema,
};

/** Ids within a client's `secrets` and within `ends`, and what the audit says of a state, are not attributes. */
function withoutIds(kind: ItemKind, paths: readonly string[]): readonly string[] {
  const named = paths.map((path) => path.replace(/^secrets\.secret_\d+/, 'secrets.*'));
  return named.filter(
    (path) =>
      path !== 'secrets.*' &&
      !path.startsWith('ends.') &&
      !(kind === 'audit' && /^(before|after)\./.test(path)),
  );
}

describe.each(kinds)('an item %s', (kind) => {
  it('has samples with every attribute that is read', () => {
    const paths = samples[kind].flatMap((item) => attributePaths(item));
    const known = new Set(schemaPaths(schemas[kind] as Schema));
    expect(new Set(withoutIds(kind, paths))).toEqual(known);
  });

  it('is read as it is written', () => {
    for (const item of samples[kind]) expect(() => parsers[kind](item)).not.toThrow();
  });

  it('is refused with an attribute or a version that is not known', () => {
    const [item = {}] = samples[kind];
    expect(() => parsers[kind]({ ...item, added_later: true })).toThrow(
      'added_later: expected no such attribute',
    );
    expect(() => parsers[kind]({ ...item, schema_version: 2 })).toThrow('schema_version');
  });
});
