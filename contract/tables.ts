/** A DynamoDB table of a deployment. */
export interface TableSchema {
  /** Follows the deployment's name: `authorization-server-clients`. */
  readonly suffix: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Shared by all regions (a global table if there are several), or one per region. */
  readonly scope: 'global' | 'regional';
}

/** A write that changes none of the projected attributes does not write to the index. */
export interface IndexSchema {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly projected: readonly string[];
}

/** Of an imported client: its id, from which its key follows. All others have their id as the key. */
export const importedIdAttribute = 'imported_id';

/** UTC day on which an assertion last authenticated a client under a provider. */
export const lastUseAttribute = 'last_used_on';

/** What belongs to a service trunk group, in the order of the names. */
export const trunkGroupIndex = {
  name: 'by-trunk-group',
  partitionKey: 'service_trunk_group',
  sortKey: 'name',
  projected: [importedIdAttribute],
} as const satisfies IndexSchema;

const byRecordType = { partitionKey: 'record_type', sortKey: 'record_id' } as const;

/** None has a TTL or a local index: strongly consistent global tables support neither. */
export const tables = {
  /** One item per client, with its secrets: one read authenticates. */
  clients: { suffix: 'clients', partitionKey: 'client_id', scope: 'global' },
  apiKeys: { suffix: 'api-keys', partitionKey: 'key_id', scope: 'global' },
  identityProviders: { suffix: 'identity-providers', partitionKey: 'issuer', scope: 'global' },
  /** The service's own keys: an item here is trust. One Query reads those of every region. */
  signingKeys: { suffix: 'signing-keys', ...byRecordType, scope: 'global' },
  /** What the staff allows trunk groups, and names of people. Partitioned by the kind of record. */
  settings: { suffix: 'settings', ...byRecordType, scope: 'global' },
  /** Append-only, by UTC day, time and id, and by day and group (`2026-11-20#tg-1001`). */
  audit: { suffix: 'audit', partitionKey: 'day', sortKey: 'record_id', scope: 'regional' },
} as const satisfies Record<string, TableSchema>;

/** Roles get partitions, not the table: a reader of keys cannot read the rotation's records. */
export const signingKeyRecordTypes = {
  /** Sort key: the kid. */
  key: 'signing_key',
  /** A key that is being created. Sort key: the slot. */
  intent: 'key_intent',
  /** Sort key: the region. */
  heartbeat: 'region_heartbeat',
  /** Only one record; sort key: `algorithm`. */
  choice: 'key_choice',
  /** How the canary of a region last ended. Sort key: the region. */
  canary: 'canary_run',
} as const;

/** Partitions of the table of settings. Roles get access to partitions here, too. */
export const settingRecordTypes = {
  /** What a service trunk group may have. Sort key: the trunk group. */
  limits: 'trunk_group_limits',
  /** Which trunk groups own a provider. Sort key: the id of the registration. */
  owner: 'provider_owner',
  /** Client ids that the staff gave to trunk groups (docs/adr/0094). Sort key: the issuer. */
  subject: 'subject_grants',
  /** Issuers that the staff gave to trunk groups. Sort key: their host. */
  issuer: 'issuer_grants',
  /** Names of people (docs/adr/0110), which are nowhere else. Sort key: the actor. */
  person: 'person',
} as const;

/** In the JWKS from `next` to `previous`, signing while `current`. After that only KMS has it. */
export const signingKeyStates = [
  'next',
  'current',
  'previous',
  'withdrawn',
  'disabled',
  'deletion_scheduled',
] as const;

/** A role that may change only these can neither add a key to the JWKS nor replace one. */
export const changedSigningKeyAttributes = [
  'state',
  'seen_at',
  'proved_at',
  'activated_at',
  'retired_at',
  'withdraw_at',
  'withdrawn_at',
  'disable_at',
  'disabled_at',
  'deletion_scheduled_at',
  'version',
] as const;

/** The last day of each value of an API key, by region. Nothing decides by it (ADR 0112). */
export const apiKeyUseTable = {
  suffix: 'api-key-uses',
  /** The id of the key and of its value: {@link apiKeyUseId}. */
  partitionKey: 'use_id',
  dayAttribute: 'used_on',
  timeToLive: 'expires_at',
  scope: 'regional',
} as const satisfies TableSchema & { readonly timeToLive: string; readonly dayAttribute: string };

export function apiKeyUseTableName(deploymentName: string): string {
  return `${deploymentName}-${apiKeyUseTable.suffix}`;
}

export function apiKeyUseId(keyId: string, valueId: string): string {
  return `${keyId}/${valueId}`;
}

export type TableKey = keyof typeof tables;

/** Indexes of tables. An update of a stack can add or remove one index of each table. */
export const tableIndexes: Readonly<Partial<Record<TableKey, IndexSchema>>> = {
  clients: trunkGroupIndex,
  apiKeys: trunkGroupIndex,
};

export const tableKeys = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ Object.keys(tables),
) as readonly TableKey[];

/** Fixed names let a region's stack find the tables of another stack without an export. */
export function tableName(deploymentName: string, key: TableKey): string {
  return `${deploymentName}-${tables[key].suffix}`;
}

/** The parts of the config that determine the names of the tables. */
export interface TableNames {
  readonly name: string;
  readonly tablesName?: string | undefined;
  readonly formerTablesName?: string | undefined;
}

/**
 * Name of a deployment's table. The tables that regions share may have another prefix, because a
 * move to other regions needs a second set of them. Each region's audit table keeps the
 * deployment's name.
 */
export function deployedTableName({ name, tablesName = name }: TableNames, key: TableKey): string {
  return tableName(tables[key].scope === 'global' ? tablesName : name, key);
}

/** The name of the table that functions used before they moved to the one in use, if they did. */
export function formerTableNames(names: TableNames, key: TableKey): readonly string[] {
  const { formerTablesName: tablesName } = names;
  if (tablesName === undefined || tables[key].scope !== 'global') return [];
  return [deployedTableName({ ...names, tablesName }, key)];
}

/** A table that is restored next to the live one. A policy can name it before it exists. */
export function restoredTableName(deploymentName: string, key: TableKey): string {
  return tableName(`${deploymentName}-restored`, key);
}
