const keys = { clients: 'client_*', 'api-keys': 'key_*', 'identity-providers': 'https://*' };

/** Attributes of a client that a platform API may read: not the hashes of its secrets. */
export const clientAttributes = [
  'client_id',
  'schema_version',
  'service_trunk_group',
  'audiences',
  'scopes',
  'stops',
  'enabled',
  'provider',
  'tokens_not_before',
];

export type ReadTable = keyof typeof keys;

export const readTables = Object.keys(keys) as readonly ReadTable[];

/** The condition under which a platform API may read a table. */
export function readerCondition(table: ReadTable) {
  const leadingKeys = { 'dynamodb:LeadingKeys': [keys[table], 'start-check'] };
  if (table !== 'clients') {
    return { 'ForAllValues:StringLike': leadingKeys, Null: { 'dynamodb:LeadingKeys': 'false' } };
  }
  return {
    'ForAllValues:StringLike': { ...leadingKeys, 'dynamodb:Attributes': clientAttributes },
    Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
    StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
  };
}
