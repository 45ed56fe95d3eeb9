import { marshall } from '@aws-sdk/util-dynamodb';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { toAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { secondsPerDay } from '../../../contract/bounds.ts';
import { tables, trunkGroupIndex } from '../../../contract/tables.ts';
import { remember } from '../../../core/bounded-map.ts';
import { formatDay, formatTime } from '../../../core/time.ts';

/** How large the tables are. */
export interface Sizes {
  /** Clients, and as many API keys. */
  readonly clients: number;
  /** Records of the audit of each day, of which two are a change. */
  readonly audit: number;
}

/** A customer that stays as it is while others grow, and one that has all that one may have. */
export const smallest = { group: 'tg-00001', clients: 40 };
export const largest = { group: 'tg-largest', clients: 9_999 };

/** Ten digits, of which ids, names and times of an item are made: a text with them is a template. */
const digitsOf = (index: number) => String(index).padStart(10, '0');
const placeholder = digitsOf(9_999_999_999);
const groupPlaceholder = 'tg-placeholder';
const clientIdOf = (digits: string) => `client_${'0'.repeat(12)}${digits}`;
const secretIdOf = (digits: string, secret: number) => `secret_${'0'.repeat(11)}${digits}${secret}`;
export const clientId = (index: number) => clientIdOf(digitsOf(index));
export const secretId = (index: number) => secretIdOf(digitsOf(index), 0);
export const keyId = (index: number) => `key_${'0'.repeat(12)}${digitsOf(index)}`;
export const issuer = 'https://idp.example.com';

const midnight = Math.floor(Date.now() / 1000 / secondsPerDay) * secondsPerDay;
/** The days of the audit: complete ones, the last is yesterday. */
export const dayOf = (ago: number) => formatDay(midnight - ago * secondsPerDay);
export const restorePoint = formatTime(midnight - 3 * secondsPerDay);
const auditDays = [3, 2, 1];

const owned = {
  serviceTrunkGroup: groupPlaceholder,
  version: 1,
  createdAt: midnight - 100 * secondsPerDay,
  updatedAt: midnight - 30 * secondsPerDay,
};
const hash = `sha256:${'0'.repeat(64)}`;

const clientTemplate = toClientItem({
  ...owned,
  clientId: clientIdOf(placeholder),
  name: `service ${placeholder}`,
  audiences: ['https://api.example.com'],
  scopes: ['messaging:view', 'messaging:manage'],
  tokenLifetime: 3600,
  secrets: [0, 1, 2].map((secret) => ({
    secretId: secretIdOf(placeholder, secret),
    hash,
    name: `release ${secret}`,
    createdAt: owned.createdAt,
    expiresAt: midnight + 40 * secondsPerDay,
    lastUsedOn: dayOf(1),
  })),
});

/** A change of a client, as management records it. */
function auditTemplate(outcome: 'intended' | 'done'): Item {
  const client_id = clientIdOf(placeholder);
  const view = { client_id, name: 'service', service_trunk_group: groupPlaceholder };
  return toAuditItem({
    recordId: `${placeholder}-${outcome === 'done' ? '2' : '1'}-${outcome}`,
    time: formatTime(midnight).replace('Z', '.000Z'),
    actor: 'https://login.example.com#ada',
    action: 'client.update',
    subject: client_id,
    outcome,
    before: { ...view, version: 1 },
    after: { ...view, version: 2 },
  });
}

/** A table whose items are made when they are read. */
export class GeneratedTable {
  readonly size: number;
  readonly keys: readonly string[];
  readonly #templates: readonly Item[];
  readonly #fill: (text: string, index: number) => string;
  readonly #numberOf: (key: Item) => number;
  readonly #readers = new Map<string, (index: number) => string>();
  readonly #members = new Map<string, ReadonlyMap<string, readonly number[]>>();

  constructor(options: {
    readonly size: number;
    readonly keys: readonly string[];
    readonly templates: readonly Item[];
    readonly fill: (text: string, index: number) => string;
    readonly numberOf?: (key: Item) => number;
    readonly partitions?: Readonly<Record<string, (index: number) => string>>;
  }) {
    this.size = options.size;
    this.keys = options.keys;
    this.#templates = options.templates;
    this.#fill = options.fill;
    const [first = ''] = options.keys;
    this.#numberOf = options.numberOf ?? ((key) => Number(String(key[first]).slice(-10)));
    for (const [name, valueOf] of Object.entries(options.partitions ?? {})) {
      this.#members.set(name, Map.groupBy(Array(options.size).keys(), valueOf));
    }
  }

  /** The reader of some attributes of items, or of all. */
  reader(attributes?: readonly string[]): (index: number) => string {
    return remember(this.#readers, attributes?.join() ?? '', () => this.#createReader(attributes));
  }

  #createReader(attributes?: readonly string[]): (index: number) => string {
    const texts = this.#templates.map((item) => {
      const picked = attributes === undefined ? item : pick(item, attributes);
      return JSON.stringify(marshall(picked, { removeUndefinedValues: true }));
    });
    return (index) => this.#fill(texts[index % texts.length] ?? '{}', index);
  }

  find(key: Item): number | undefined {
    const index = this.#numberOf(key);
    return index >= 0 && index < this.size ? index : undefined;
  }

  /** What is in a partition, in the order of its sort key. */
  partition(attribute: string, value: string): readonly number[] {
    const name = value.includes('#') ? 'day and group' : attribute;
    return this.#members.get(name)?.get(value) ?? [];
  }
}

function pick(item: Item, attributes: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => attributes.includes(name)));
}

/** @param first number of the first item. */
function ownedTable(size: number, template: Item, partitionKey: string, first = 0) {
  const ofLargest = Math.min(largest.clients, Math.floor(size / 2));
  const groups = Math.ceil((size - ofLargest) / smallest.clients);
  const groupOf = (index: number) =>
    index < ofLargest
      ? largest.group
      : `tg-${String((index - ofLargest) % groups).padStart(5, '0')}`;
  return new GeneratedTable({
    size,
    keys: [partitionKey],
    templates: [template],
    fill: (text, index) =>
      text
        .replaceAll(placeholder, digitsOf(first + index))
        .replaceAll(groupPlaceholder, groupOf(index)),
    partitions: { [trunkGroupIndex.partitionKey]: groupOf },
  });
}

/** Each change is of another customer, so one customer has few of them. */
function auditTable(clients: GeneratedTable, perDay: number): GeneratedTable {
  const size = perDay * auditDays.length;
  const dayAt = (index: number) => dayOf(auditDays[Math.floor(index / perDay)] ?? 0);
  const timeAt = (index: number) => {
    const milliseconds = Math.floor(((index % perDay) / perDay) * secondsPerDay * 1000);
    return new Date(Date.parse(dayAt(index)) + milliseconds).toISOString();
  };
  const { partitionKey, sortKey } = tables.audit;
  const time = new Date(midnight * 1000).toISOString();
  const fillClient = clients.reader(['client_id', trunkGroupIndex.partitionKey]);
  const ownerOf = (index: number) => {
    const client = (Math.floor(index / 2) * 7) % clients.size;
    const { service_trunk_group: group } = JSON.parse(fillClient(client)) as {
      readonly service_trunk_group: { readonly S: string };
    };
    return { client, group: group.S };
  };
  return new GeneratedTable({
    size,
    keys: [partitionKey, sortKey],
    templates: [auditTemplate('intended'), auditTemplate('done')],
    fill: (text, index) => {
      const { client, group } = ownerOf(index);
      return text
        .replaceAll(clientIdOf(placeholder), clientId(client))
        .replaceAll(placeholder, digitsOf(Math.floor(index / 2)))
        .replaceAll(groupPlaceholder, group)
        .replaceAll(time, timeAt(index))
        .replaceAll(formatDay(midnight), dayAt(index));
    },
    numberOf: (key) => {
      const [, change = '', part = ''] = /#(\d+)-(\d)/.exec(String(key[sortKey])) ?? [];
      return Number(change) * 2 + Number(part) - 1;
    },
    partitions: {
      [partitionKey]: dayAt,
      // A record is filed under its trunk group, too.
      'day and group': (index) => `${dayAt(index)}#${ownerOf(index).group}`,
    },
  });
}

/** The tables of a deployment, by suffix. */
export function generateTables({ clients: size, audit }: Sizes): Map<string, GeneratedTable> {
  const { partitionKey: clientKey } = tables.clients;
  const clients = ownedTable(size, clientTemplate, clientKey);
  const apiKey = toApiKeyItem({
    ...owned,
    keyId: `key_${'0'.repeat(12)}${placeholder}`,
    name: `key ${placeholder}`,
    hash,
    subnets: [],
  });
  const provider = toIdentityProviderItem({
    issuer,
    registrationId: 'idp_1',
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    jwksUri: `${issuer}/jwks`,
    allowedAlgorithms: ['ES256'],
    registeredAt: owned.createdAt,
  });
  const customers = [smallest.group, largest.group];
  const limits = customers.map((record_id) => ({
    record_type: 'trunk_group_limits',
    record_id,
    schema_version: 1,
    max_clients: largest.clients + 1,
    version: 1,
    updated_at: owned.createdAt,
  }));
  const few = (keys: readonly string[], items: readonly Item[]) =>
    new GeneratedTable({
      size: items.length,
      keys,
      templates: items,
      fill: (text) => text,
      numberOf: (key) => items.findIndex((item) => keys.every((name) => key[name] === item[name])),
      partitions: Object.fromEntries(
        keys.map((name) => [name, (index: number) => String(items[index]?.[name])]),
      ),
    });
  return new Map([
    ['clients', clients],
    ['few-clients', ownedTable(100, clientTemplate, clientKey, 5_000_000_000)],
    ['api-keys', ownedTable(size, apiKey, tables.apiKeys.partitionKey)],
    ['identity-providers', few([tables.identityProviders.partitionKey], [provider])],
    ['settings', few([tables.settings.partitionKey, tables.settings.sortKey], limits)],
    ['audit', auditTable(clients, audit)],
  ]);
}
