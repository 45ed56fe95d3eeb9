import type { TableKey } from '../../contract/tables.ts';
import type { AlgorithmChoice, Heartbeat } from '../key-rotation/rotation-ports.ts';
import type { ManagementContext } from '../management/management-context.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { parseTime } from '../time.ts';
import { type AuditedChange, asStored, describeChange, type Replayed } from './replay.ts';
import {
  type Restorable,
  type RestoredRow,
  type RestoredTables,
  type RestoreOptions,
  restorableApiKeys,
  restorableClients,
  restoreItems,
  restoreKind,
  restoring,
  sincePoint,
} from './restore-items.ts';
import { restoreProviders } from './restore-providers.ts';
import { restoreSettings } from './restore-settings.ts';

/** States in which a key is published. */
const published: ReadonlySet<SigningKey['state']> = new Set(['next', 'current', 'previous']);

/**
 * A key that was withdrawn since is withdrawn, and the rotation disables it in KMS at once. Without a
 * record, the rotation would take the key that it finds in KMS for a new one.
 */
function replaySigningKey(
  stored: SigningKey,
  changes: readonly AuditedChange[],
): Replayed<SigningKey> {
  const withdrawal = changes.find(({ action }) => action === 'signing_key.withdraw');
  if (withdrawal === undefined || !published.has(stored.state)) return asStored(stored);
  const at = parseTime(withdrawal.time) ?? stored.publishedAt;
  const version = stored.version + 1;
  return {
    item: { ...stored, state: 'withdrawn', withdrawnAt: at, disableAt: at, version },
    narrowed: [describeChange('withdrawn', withdrawal)],
    lookAt: [],
  };
}

type SigningKeyKinds = Pick<RestoredTables, 'signingKeys' | 'algorithmChoice' | 'heartbeats'>;

/** Restores keys, and what regions need that read the table one after another. */
export function restoreSigningKeys(
  context: ManagementContext,
  { signingKeys, algorithmChoice, heartbeats }: SigningKeyKinds,
  options: RestoreOptions,
): Promise<readonly RestoredRow[]> {
  const keys: Restorable<SigningKey> = {
    ...signingKeys,
    noun: 'signing_key',
    idOf: ({ kid }) => kid,
    nameOf: ({ regionId }) => regionId,
    view: ({ regionId, state }) => ({ region: regionId, state }),
    replay: replaySigningKey,
    afterLoss: 'its tokens are refused, unless the rotation finds it in KMS',
  };
  const choice: Restorable<AlgorithmChoice> = {
    ...algorithmChoice,
    noun: 'key_choice',
    idOf: () => 'algorithm',
    view: ({ alg }) => ({ alg }),
    replay: asStored,
  };
  const beats: Restorable<Heartbeat> = {
    ...heartbeats,
    noun: 'region_heartbeat',
    idOf: ({ regionId }) => regionId,
    view: ({ at }) => ({ at }),
    replay: asStored,
  };
  return restoring(context, options, async (all) => {
    const replay = sincePoint(all);
    return [
      ...(await restoreKind(context, keys, replay)),
      ...(await restoreKind(context, choice, replay)),
      ...(await restoreKind(context, beats, replay)),
    ];
  });
}

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
  apiKeys: (context, from, options) =>
    restoreItems(context, restorableApiKeys(context, from), options),
  signingKeys: restoreSigningKeys,
} as const satisfies Readonly<Partial<Record<TableKey, Restore>>>;

export type RestorableTable = keyof typeof restores;

export const restorableTables = Object.keys(restores) as readonly RestorableTable[];
