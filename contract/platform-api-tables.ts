import { onlyValues } from './list-condition.ts';
import type { TableKey } from './tables.ts';

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

export const platformApiTables = Object.freeze(
  Object.keys(platformApiKeys),
) as readonly PlatformApiTable[];

export function isPlatformApiTable(table: TableKey): table is PlatformApiTable {
  return Object.hasOwn(platformApiKeys, table);
}

/** The one action of a look-up. */
export const platformApiAction = 'dynamodb:GetItem';

/** The condition under which a table may be read. */
export function platformApiCondition(table: PlatformApiTable) {
  return onlyValues({ 'dynamodb:LeadingKeys': [platformApiKeys[table], probeKey] }, 'StringLike');
}
