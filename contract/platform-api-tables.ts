import { onlyValues } from './list-condition.ts';
import { apiKeyUseTable, type TableKey, tables } from './tables.ts';

/** The key that the start check of a look-up reads. No record has it. */
export const probeKey = 'start-check';

/**
 * What a platform API reads to verify a credential, one item at a time by its key: each table with
 * the form of its keys. IAM compares the key of each request with it (`dynamodb:LeadingKeys`).
 */
export const platformApiKeys = {
  clients: 'client_*',
  apiKeys: 'key_*',
  identityProviders: 'https://*',
} as const satisfies Readonly<Partial<Record<TableKey, string>>>;

export type PlatformApiTable = keyof typeof platformApiKeys;

/** What a look-up reads of a client. No platform API may see the hashes of its secrets. */
export const checkedClientAttributes = [
  tables.clients.partitionKey,
  'schema_version',
  'service_trunk_group',
  'audiences',
  'scopes',
  'stops',
  // Of an item of an earlier release, which is refused: without it, a disabled client would work.
  'enabled',
  'provider',
  'tokens_not_before',
] as const;

export const platformApiTables = Object.freeze(
  Object.keys(platformApiKeys),
) as readonly PlatformApiTable[];

export function isPlatformApiTable(table: TableKey): table is PlatformApiTable {
  return Object.hasOwn(platformApiKeys, table);
}

/** The action of a look-up. */
export const platformApiAction = 'dynamodb:GetItem';

/**
 * The actions of look-ups in a process that serves many requests at once: those that begin together
 * are read together. Without the second they are read one by one.
 */
export const batchedPlatformApiActions = [platformApiAction, 'dynamodb:BatchGetItem'] as const;

/** The condition under which a table may be read. */
export function platformApiCondition(table: PlatformApiTable) {
  const keys = { 'dynamodb:LeadingKeys': [platformApiKeys[table], probeKey] };
  if (table !== 'clients') return onlyValues(keys, 'StringLike');
  return {
    ...onlyValues({ ...keys, 'dynamodb:Attributes': checkedClientAttributes }, 'StringLike'),
    // A request that names no attributes returns all of them.
    StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
  };
}

/** What a platform API may do to record the last use of API keys, next to what it reads. */
export const recordKeyUseActions = ['dynamodb:GetItem', 'dynamodb:UpdateItem'] as const;

/** An item of a key, and only what a use has. A write returns nothing of it. */
export const recordKeyUseCondition = {
  ...onlyValues(
    {
      'dynamodb:LeadingKeys': [platformApiKeys.apiKeys],
      'dynamodb:Attributes': [
        apiKeyUseTable.partitionKey,
        apiKeyUseTable.dayAttribute,
        apiKeyUseTable.timeToLive,
      ],
    },
    'StringLike',
  ),
  StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' },
};
