import type { ManagementAlias } from './management/roles.ts';
import type { TableKey } from './tables.ts';

/** DynamoDB actions that `authctl` uses. None of them reaches an index or another item's key. */
export type TableAction =
  | 'dynamodb:GetItem'
  | 'dynamodb:Query'
  | 'dynamodb:Scan'
  | 'dynamodb:PutItem'
  | 'dynamodb:UpdateItem'
  | 'dynamodb:DeleteItem';

/** What one kind of operator may do: a managed policy in each region's stack. */
export interface OperatorGroup {
  /**
   * What the policy lets a person do, for its description in IAM. Never change it: CloudFormation
   * replaces a policy with another description, and fails because the name is taken.
   */
  readonly description: string;
  /** Actions on each table. A table that is not named is out of reach. */
  readonly tables: Readonly<Partial<Record<TableKey, readonly TableAction[]>>>;
  /** Tables, as DynamoDB restored them next to the live ones, that may be scanned. */
  readonly restoredTables?: readonly TableKey[];
  /** Functions that may be invoked. */
  readonly functions: readonly 'key-rotation'[];
  /** The alias of the management function that may be invoked: the role there. */
  readonly alias?: Exclude<ManagementAlias, 'portal'>;
}

const change = ['dynamodb:GetItem', 'dynamodb:Scan', 'dynamodb:PutItem'] as const;

/** Checks whether the item exists, and creates it if it does not. */
const create = ['dynamodb:GetItem', 'dynamodb:PutItem'] as const;

/**
 * An operator cannot read the audit, and `authctl` adds records only under a condition. IAM cannot
 * require that condition: with PutItem, a caller who knows the random id of a record can overwrite
 * it (SECURITY.md).
 */
const append = ['dynamodb:PutItem'] as const;

/**
 * Permissions for each command group of `authctl`, exactly as its commands use them. The caller's
 * identity comes from STS GetCallerIdentity, which needs no permission.
 *
 * A group with an alias works through the management function. It has its tables only until the
 * deployment config takes them away (`management.operatorTableAccess`).
 */
export const operatorGroups = {
  'client-operator': {
    description: 'authctl client, client-secret and explain token',
    tables: {
      clients: [...change, 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      identityProviders: ['dynamodb:GetItem'],
      signingKeys: ['dynamodb:Query'],
      audit: append,
    },
    functions: [],
    alias: 'client-operator',
  },
  'api-key-operator': {
    description: 'authctl api-key and api-key-subnet',
    tables: { apiKeys: [...change, 'dynamodb:DeleteItem'], audit: append },
    functions: [],
    alias: 'api-key-operator',
  },
  'provider-operator': {
    description: 'authctl provider, with the deletion of the clients under one',
    tables: {
      identityProviders: [...change, 'dynamodb:DeleteItem'],
      clients: ['dynamodb:Scan', 'dynamodb:DeleteItem'],
      // The service's own keys: it must never be registered as its own provider.
      signingKeys: ['dynamodb:Query'],
      audit: append,
    },
    functions: [],
    alias: 'provider-operator',
  },
  'signing-key-operator': {
    description: 'authctl signing-key: changes are made by the rotation function alone',
    tables: { signingKeys: ['dynamodb:Query'] },
    functions: ['key-rotation'],
  },
  /** Reads the audit and appends to it, which no one else does: temporarily. */
  'restore-operator': {
    description: 'authctl table restore, from tables restored beside the live ones',
    tables: {
      clients: create,
      apiKeys: create,
      identityProviders: create,
      audit: ['dynamodb:Query', ...append],
    },
    restoredTables: ['clients', 'apiKeys', 'identityProviders'],
    functions: [],
  },
  auditor: {
    description: 'every list and show of authctl, explain, and the audit; no change',
    tables: {
      clients: ['dynamodb:GetItem', 'dynamodb:Scan'],
      apiKeys: ['dynamodb:GetItem', 'dynamodb:Scan'],
      identityProviders: ['dynamodb:GetItem', 'dynamodb:Scan'],
      signingKeys: ['dynamodb:Query'],
      audit: ['dynamodb:Query'],
    },
    functions: [],
    alias: 'auditor',
  },
  administrator: {
    description: 'every operation of the management function',
    tables: {},
    functions: [],
    alias: 'administrator',
  },
} as const satisfies Readonly<Record<string, OperatorGroup>>;

export type OperatorGroupName = keyof typeof operatorGroups;
