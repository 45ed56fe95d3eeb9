import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { groupPartition, toAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import { secondsPerDay } from '../../../contract/bounds.ts';
import { tables, trunkGroupIndex } from '../../../contract/tables.ts';
import { formatDay, formatTime } from '../../../core/time.ts';

export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A table whose items are made when they are read. */
export interface GeneratedTable {
  readonly keys: readonly string[];
  readonly size: number;
  readonly item: (index: number) => Attributes;
  /** The number of the item with a key; another number if there is none. */
  readonly indexOf: (key: Attributes) => number;
  /** The numbers of the items of each partition: of the table, and of its index. */
  readonly partitions: ReadonlyMap<string, readonly number[]>;
}

/** A customer that stays as it is while others grow, and one that has all that one may have. */
export const smallest = { group: 'tg-00001', clients: 40 };
export const largest = { group: 'tg-largest', clients: 9_999 };
export const issuer = 'https://idp.example.com';

const digitsOf = (index: number) => String(index).padStart(10, '0');
export const clientId = (index: number) => `client_${'0'.repeat(12)}${digitsOf(index)}`;
export const secretId = (index: number, secret = 0) =>
  `secret_${'0'.repeat(11)}${digitsOf(index)}${secret}`;
export const keyId = (index: number) => `key_${'0'.repeat(12)}${digitsOf(index)}`;

const midnight = Math.floor(Date.now() / 1000 / secondsPerDay) * secondsPerDay;
/** The days of the audit: complete ones, the last is yesterday. */
export const dayOf = (ago: number) => formatDay(midnight - ago * secondsPerDay);
export const restorePoint = formatTime(midnight - 3 * secondsPerDay);
const auditDays = [3, 2, 1];

const text = (S: string): AttributeValue => ({ S });
const toAttributes = (item: object): Attributes => marshall(item, { removeUndefinedValues: true });

const owned = {
  name: 'service',
  serviceTrunkGroup: smallest.group,
  version: 1,
  createdAt: midnight - 100 * secondsPerDay,
  updatedAt: midnight - 30 * secondsPerDay,
};
const hash = `sha256:${'0'.repeat(64)}`;

const client = toAttributes(
  toClientItem({
    ...owned,
    clientId: clientId(0),
    audiences: ['https://api.example.com'],
    scopes: ['messaging:view', 'messaging:manage'],
    tokenLifetime: 3600,
    secrets: [0, 1, 2].map((secret) => ({
      secretId: secretId(0, secret),
      hash,
      name: `release ${secret}`,
      createdAt: owned.createdAt,
      expiresAt: midnight + 40 * secondsPerDay,
      lastUsedOn: dayOf(1),
    })),
  }),
);
const secrets = Object.values(client['secrets']?.M ?? {});
const secretsOf = (index: number): AttributeValue => ({
  M: Object.fromEntries(secrets.map((secret, place) => [secretId(index, place), secret])),
});

const apiKey = toAttributes(toApiKeyItem({ ...owned, keyId: keyId(0), hash, subnets: [] }));

const provider = toAttributes(
  toIdentityProviderItem({
    issuer,
    registrationId: 'idp_1',
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    jwksUri: `${issuer}/jwks`,
    allowedAlgorithms: ['ES256'],
    registeredAt: owned.createdAt,
  }),
);
const limits = [smallest, largest].map(({ group }) =>
  toAttributes({
    record_type: 'trunk_group_limits',
    record_id: group,
    schema_version: 1,
    max_clients: largest.clients + 1,
    version: 1,
    updated_at: owned.createdAt,
  }),
);

/** The trunk group of each of some items: half are of the largest customer, until it has all. */
function createGroups(size: number): (index: number) => string {
  const ofLargest = Math.min(largest.clients, Math.floor(size / 2));
  const groups = Math.ceil((size - ofLargest) / smallest.clients);
  return (index) =>
    index < ofLargest
      ? largest.group
      : `tg-${String((index - ofLargest) % groups).padStart(5, '0')}`;
}

/** @param item what an item has of its own. */
function ownedTable(
  size: number,
  partitionKey: string,
  item: (index: number) => Attributes,
): GeneratedTable {
  const groupOf = createGroups(size);
  return {
    keys: [partitionKey],
    size,
    item: (index) => ({ ...item(index), [trunkGroupIndex.partitionKey]: text(groupOf(index)) }),
    indexOf: (key) => Number(key[partitionKey]?.S?.slice(-10)),
    partitions: Map.groupBy(Array(size).keys(), groupOf),
  };
}

/** @param first number of the first client. */
function clientTable(size: number, first = 0): GeneratedTable {
  return ownedTable(size, tables.clients.partitionKey, (index) => ({
    ...client,
    client_id: text(clientId(first + index)),
    name: text(`service ${index}`),
    secrets: secretsOf(first + index),
  }));
}

/** A change of a client, as management records it. */
const [intent, outcome] = (['intended', 'done'] as const).map((outcome) =>
  toAttributes(
    toAuditItem({
      recordId: '0',
      time: `${dayOf(1)}T00:00:00.000Z`,
      actor: 'https://login.example.com#ada',
      action: 'client.update',
      subject: clientId(0),
      outcome,
    }),
  ),
);

/**
 * Changes of clients, each with its intent. Each is of another customer than the one before, so one
 * customer has few of them.
 */
function auditTable(size: number): GeneratedTable {
  const groupOf = createGroups(size);
  const clientOf = (index: number) => (Math.floor(index / 2) * 7) % size;
  const daysAgo = (index: number) => auditDays[Math.floor(index / size)] ?? 0;
  const item = (index: number): Attributes => {
    const second = ((index % size) / size - daysAgo(index)) * secondsPerDay;
    const time = new Date((midnight + second) * 1000).toISOString();
    const subject = text(clientId(clientOf(index)));
    const state = (N: string) => ({
      M: {
        client_id: subject,
        name: text('service'),
        service_trunk_group: text(groupOf(clientOf(index))),
        version: { N },
      },
    });
    return {
      ...(index % 2 === 0 ? intent : outcome),
      day: text(dayOf(daysAgo(index))),
      record_id: text(
        `${time}#${digitsOf(Math.floor(index / 2))}-${index % 2 === 0 ? '1-intended' : '2-done'}`,
      ),
      time: text(time),
      subject,
      before: state('1'),
      after: state('2'),
    };
  };
  const indexes = Array.from({ length: size * auditDays.length }, (_, index) => index);
  const { partitionKey, sortKey } = tables.audit;
  return {
    keys: [partitionKey, sortKey],
    size: indexes.length,
    item,
    indexOf: (key) => {
      const [, change = '', part = ''] = /#(\d+)-(\d)/.exec(key[sortKey]?.S ?? '') ?? [];
      return Number(change) * 2 + Number(part) - 1;
    },
    partitions: new Map([
      ...Map.groupBy(indexes, (index) => dayOf(daysAgo(index))),
      // A record is filed under its trunk group, too.
      ...Map.groupBy(indexes, (index) =>
        groupPartition(dayOf(daysAgo(index)), groupOf(clientOf(index))),
      ),
    ]),
  };
}

function fewItems(keys: readonly string[], items: readonly Attributes[]): GeneratedTable {
  return {
    keys,
    size: items.length,
    item: (index) => items[index] ?? {},
    indexOf: (key) => items.findIndex((one) => keys.every((name) => one[name]?.S === key[name]?.S)),
    partitions: new Map(),
  };
}

/**
 * The tables of a deployment, by suffix.
 *
 * @param size clients, as many API keys, and as many records of the audit each day.
 */
export function generateTables(size: number): ReadonlyMap<string, GeneratedTable> {
  const { identityProviders, settings, apiKeys } = tables;
  return new Map([
    ['clients', clientTable(size)],
    ['few-clients', clientTable(100, 5_000_000_000)],
    [
      'api-keys',
      ownedTable(size, apiKeys.partitionKey, (index) => ({
        ...apiKey,
        key_id: text(keyId(index)),
        name: text(`key ${index}`),
      })),
    ],
    ['identity-providers', fewItems([identityProviders.partitionKey], [provider])],
    ['settings', fewItems([settings.partitionKey, settings.sortKey], limits)],
    ['audit', auditTable(size)],
  ]);
}
