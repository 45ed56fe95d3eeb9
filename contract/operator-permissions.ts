import type { ManagementAlias } from './management/roles.ts';
import { settingRecordTypes, signingKeyRecordTypes, type TableKey } from './tables.ts';

/** DynamoDB actions that `authctl` uses. None of them reaches an index or another item's key. */
type TableAction =
  | 'dynamodb:GetItem'
  | 'dynamodb:Query'
  | 'dynamodb:PutItem'
  | 'dynamodb:UpdateItem';

/** What one kind of operator may do: a managed policy in each region's stack. */
export interface OperatorGroup {
  /**
   * What the policy lets a person do, for its description in IAM. Never change it: CloudFormation
   * replaces a policy with another description, and fails because the name is taken.
   */
  readonly description: string;
  /** Actions on each table. A table that is not named is out of reach. */
  readonly tables: Readonly<Partial<Record<TableKey, readonly TableAction[]>>>;
  /** The only partitions of a table that the actions may touch; every one if left out. */
  readonly partitions?: Readonly<Partial<Record<TableKey, readonly string[]>>>;
  /** Tables, as DynamoDB restored them next to the live ones, that may be scanned. */
  readonly restoredTables?: readonly TableKey[];
  /** Functions that may be invoked. */
  readonly functions: readonly 'key-rotation'[];
  /** The alias of the management function that may be invoked: the role there. */
  readonly alias?: Exclude<ManagementAlias, 'portal'>;
}

/** Reads an item, and creates or replaces it under a condition. */
const replace = ['dynamodb:GetItem', 'dynamodb:PutItem'] as const;

/**
 * An operator cannot read the audit, and `authctl` adds records only under a condition. IAM cannot
 * require that condition: with PutItem, a caller who knows the random id of a record can overwrite
 * it (docs/roles.md).
 */
const append = ['dynamodb:PutItem'] as const;

/** A group that works through the management function, and has no table. */
function throughFunction<const Alias extends ManagementAlias>(alias: Alias, description: string) {
  return { description, tables: {}, functions: [], alias } as const;
}

/**
 * Permissions for each command group of `authctl`, exactly as its commands use them. The caller's
 * identity comes from STS GetCallerIdentity, which needs no permission.
 */
export const operatorGroups = {
  'client-operator': throughFunction(
    'client-operator',
    'authctl client, client-secret and explain token',
  ),
  'api-key-operator': throughFunction('api-key-operator', 'authctl api-key and api-key-subnet'),
  'provider-operator': throughFunction(
    'provider-operator',
    'authctl provider, with the deletion of the clients under one',
  ),
  'signing-key-operator': {
    description: 'authctl signing-key: changes are made by the rotation function alone',
    tables: { signingKeys: ['dynamodb:Query'] },
    partitions: { signingKeys: Object.values(signingKeyRecordTypes) },
    functions: ['key-rotation'],
  },
  /** Reads the audit and appends to it, which no one else does: temporarily. */
  'restore-operator': {
    description: 'authctl table restore, from tables restored beside the live ones',
    tables: {
      clients: replace,
      apiKeys: replace,
      identityProviders: replace,
      settings: replace,
      audit: ['dynamodb:Query', ...append],
    },
    partitions: { settings: Object.values(settingRecordTypes) },
    restoredTables: ['clients', 'apiKeys', 'identityProviders', 'settings'],
    functions: [],
  },
  /**
   * Stops a client, a secret, tokens or an API key while the management function cannot: attached
   * only then.
   */
  'break-glass-operator': {
    description: 'authctl --through tables: stops credentials while the management function fails',
    tables: {
      clients: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      apiKeys: replace,
      audit: append,
    },
    functions: [],
  },
  auditor: throughFunction(
    'auditor',
    'every list and show of authctl, explain, and the audit; no change',
  ),
  administrator: throughFunction('administrator', 'every operation of the management function'),
} as const satisfies Readonly<Record<string, OperatorGroup>>;

export type OperatorGroupName = keyof typeof operatorGroups;
