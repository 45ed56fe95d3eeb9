/** A DynamoDB table of a deployment. */
export interface TableSchema {
  /** Follows the deployment's name: `authorization-server-clients`. */
  readonly suffix: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Shared by all regions (a global table if there are several), or one per region. */
  readonly scope: 'global' | 'regional';
}

/**
 * A global secondary index. It has its keys, the table's, and the projected attributes: a write
 * that changes none of them, such as the recording of a secret's last use, does not write to the
 * index.
 */
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

/**
 * The tables of records. All keys are strings. None of them has a TTL or a local secondary index,
 * because strongly consistent global tables support neither.
 */
export const tables = {
  /** One item per client, with its secrets: one read authenticates. */
  clients: { suffix: 'clients', partitionKey: 'client_id', scope: 'global' },
  apiKeys: { suffix: 'api-keys', partitionKey: 'key_id', scope: 'global' },
  identityProviders: { suffix: 'identity-providers', partitionKey: 'issuer', scope: 'global' },
  /**
   * The service's own keys and nothing else: an item here is trust. Partitioned by the kind of
   * record, so that one Query reads every key of every region.
   */
  signingKeys: { suffix: 'signing-keys', ...byRecordType, scope: 'global' },
  /** What the staff allows trunk groups, and names of people. Partitioned by the kind of record. */
  settings: { suffix: 'settings', ...byRecordType, scope: 'global' },
  /**
   * Append-only; partitioned by UTC day (`2026-11-20`), sorted by time and id. What is about a
   * trunk group is also in the partition of day and group (`2026-11-20#tg-1001`).
   */
  audit: { suffix: 'audit', partitionKey: 'day', sortKey: 'record_id', scope: 'regional' },
} as const satisfies Record<string, TableSchema>;

/**
 * Partitions of the table of signing keys. Roles get access to partitions, not to the table:
 * permission to read the keys does not include the rotation's own records.
 */
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
  /**
   * Names of people behind a portal (docs/adr/0110), which are nowhere else. Sort key: the actor of
   * the audit, `https://issuer#subject`.
   */
  person: 'person',
} as const;

/**
 * States of a signing key. It is in the JWKS from `next` to `previous` and signs while it is
 * `current`. The states after `withdrawn` concern only KMS.
 */
export const signingKeyStates = [
  'next',
  'current',
  'previous',
  'withdrawn',
  'disabled',
  'deletion_scheduled',
] as const;

/**
 * Attributes of a signing key that its life changes. What the key is does not: a role that may
 * change these can neither add a key to the JWKS nor replace one.
 */
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

/**
 * The day on which each value of an API key was last accepted, in each region. Nothing decides by
 * it: a platform API may write to it (docs/adr/0112).
 */
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

/**
 * The name that a table restored next to the live one must have. It is fixed, so a policy can name
 * the table before it exists: `authorization-server-restored-clients`.
 */
export function restoredTableName(deploymentName: string, key: TableKey): string {
  return tableName(`${deploymentName}-restored`, key);
}
