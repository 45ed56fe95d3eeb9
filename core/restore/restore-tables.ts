import type { TableKey } from '../../contract/tables.ts';
import type { ManagementContext } from '../management/management-context.ts';
import {
  type RestoredRow,
  type RestoredTables,
  type RestoreOptions,
  restorableApiKeys,
  restorableClients,
  restoreItems,
  restoreProviders,
} from './restore-items.ts';
import { restoreSettings } from './restore-settings.ts';
import { restoreSigningKeys } from './restore-signing-keys.ts';

type Restore = (
  context: ManagementContext,
  from: RestoredTables,
  options: RestoreOptions,
) => Promise<readonly RestoredRow[]>;

/** How each table is restored: settings before what they decide about. */
export const restores = {
  settings: restoreSettings,
  identityProviders: restoreProviders,
  clients: (context, from, options) =>
    restoreItems(context, restorableClients(context, from), options),
  apiKeys: (context, from, options) => restoreItems(context, restorableApiKeys(from), options),
  signingKeys: restoreSigningKeys,
} as const satisfies Readonly<Partial<Record<TableKey, Restore>>>;

export type RestorableTable = keyof typeof restores;

export const restorableTables = Object.keys(restores) as readonly RestorableTable[];
