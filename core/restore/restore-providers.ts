import {
  type GivenKeys,
  type IdentityProvider,
  ownedBy,
} from '../identity-provider/identity-provider.ts';
import type { ManagementContext } from '../management/management-context.ts';
import { findOwner, viewIdentityProvider } from '../management/providers/provider-reach.ts';
import { followOwner } from '../management/trunk-group-limits/trunk-group-stop.ts';
import { narrow } from '../narrowing/narrow.ts';
import { providerTable } from '../narrowing/tables.ts';
import { isStoppedBy, withoutStop } from '../stops.ts';
import { givenKeysView, providerView, readView } from './audit-views.ts';
import {
  type AuditedChange,
  asStored,
  DroppedItem,
  describeChange,
  dropDeleted,
  type Replayed,
  type ReplayOptions,
  selectOwnChanges,
} from './replay.ts';
import {
  type Restorable,
  type RestoredRow,
  type RestoredTables,
  type RestoreOptions,
  restoreKind,
  restoring,
} from './restore-items.ts';

/** @throws {DroppedItem} if this registration or a later one was deleted, and not by mistake. */
function dropDeletedProvider(
  { issuer, registrationId }: Pick<IdentityProvider, 'issuer' | 'registrationId'>,
  changes: readonly AuditedChange[],
  { undelete = () => false }: ReplayOptions,
): void {
  const isOwn = (change: AuditedChange) =>
    readView(providerView, change).registration_id === registrationId;
  const meant = selectOwnChanges(changes, ['identity_provider'], issuer)
    .filter(({ after }) => after === undefined)
    .find((change, at, all) => !undelete(change) && all.slice(0, at + 1).some(isOwn));
  if (meant !== undefined) dropDeleted(meant);
}

/** Changes that read and write the stops. What others say of them may be from before. */
const stopActions = ['stop', 'resume', 'restore'].map((verb) => `identity_provider.${verb}`);

/** Whether a change deleted a provider, or stopped it to do so. */
function isDeletion(change: AuditedChange): boolean {
  const { action, after } = change;
  const isIn = (one: AuditedChange) => isStoppedBy(readView(providerView, one), 'deletion');
  if (after === undefined || action !== 'identity_provider.stop') return after === undefined;
  return isIn(change) && !isIn({ ...change, after: undefined });
}

/** As `replayClient`, for a provider: a registration is deleted or it is not, or it is stopped. */
export function replayProvider(
  stored: IdentityProvider,
  changes: readonly AuditedChange[],
  options: ReplayOptions,
): Replayed<IdentityProvider> {
  dropDeletedProvider(stored, changes, options);
  const own = selectOwnChanges(changes, ['identity_provider'], stored.issuer).filter(
    (change) => readView(providerView, change).registration_id === stored.registrationId,
  );
  const ofStops = own.filter(({ action }) => stopActions.includes(action));
  const last = ofStops
    .slice(
      Math.max(
        ofStops.findLastIndex(({ isCertain }) => isCertain),
        0,
      ),
    )
    .map((change) => ({ stops: readView(providerView, change).stops }));
  const { item } = narrow<IdentityProvider>(providerTable, stored, { ever: [], last });
  // What comes back is not being deleted any more.
  const isBack = own.some((change) => options.undelete?.(change) === true && isDeletion(change));
  return asStored(isBack ? { ...item, stops: withoutStop(item.stops, 'deletion') } : item);
}

function restorableProviders(
  context: ManagementContext,
  { identityProviders }: Pick<RestoredTables, 'identityProviders'>,
): Restorable<IdentityProvider> {
  return {
    ...identityProviders,
    noun: 'identity_provider',
    idOf: ({ issuer }) => issuer,
    view: viewIdentityProvider,
    create: async (provider) => {
      const owner = await context.providerOwners.find(provider.registrationId);
      const whose = owner && ownedBy(owner.trunkGroups);
      await identityProviders.create({ ...provider, ...whose });
    },
    replay: replayProvider,
    // One of several groups comes back for the others.
    groupsOf: async (provider) => {
      const groups = (await findOwner(context, provider))?.trunkGroups ?? [];
      return groups.length === 1 ? groups : [];
    },
    stopWithGroup: ({ issuer }) => followOwner(context, issuer),
  };
}

/** Keys of a provider that were given. Those that others replaced since do not come back. */
function restorableGivenKeys({
  givenKeys,
}: Pick<RestoredTables, 'givenKeys'>): Restorable<GivenKeys> {
  return {
    ...givenKeys,
    noun: 'identity_provider_keys',
    idOf: ({ issuer }) => issuer,
    nameOf: () => 'given keys',
    view: ({ issuer, version }) => ({ issuer, keys_version: version }),
    replay: (stored, changes, options) => {
      dropDeletedProvider(stored, changes, options);
      const replaced = changes.find(
        (change) =>
          change.action === 'identity_provider.replace_keys' &&
          readView(givenKeysView, change).keys_version > stored.version,
      );
      if (replaced === undefined) return asStored(stored);
      throw new DroppedItem(`${describeChange('replaced', replaced)}: give its keys again`);
    },
  };
}

/** Restores providers, and the keys that were given for some of them. */
export function restoreProviders(
  context: ManagementContext,
  tables: Pick<RestoredTables, 'identityProviders' | 'givenKeys'>,
  options: RestoreOptions,
): Promise<readonly RestoredRow[]> {
  return restoring(context, options, async (replay) => [
    ...(await restoreKind(context, restorableProviders(context, tables), replay)),
    ...(await restoreKind(context, restorableGivenKeys(tables), replay)),
  ]);
}
