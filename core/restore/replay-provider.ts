import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { providerView, readView } from './audit-views.ts';
import { type AuditedChange, selectOwnChanges } from './audited-changes.ts';
import { dropDeleted, type Replayed, replaying } from './replay.ts';

/** As `replayClient`, for a provider: a registration is deleted or it is not. */
export function replayProvider(
  stored: IdentityProvider,
  changes: readonly AuditedChange[],
  undelete = false,
): Replayed<IdentityProvider> {
  return replaying(() => {
    const deletion = selectOwnChanges(changes, ['identity_provider'], stored.issuer)
      .filter(({ after }) => after === undefined)
      .find((change) => readView(providerView, change).registration_id === stored.registrationId);
    if (deletion !== undefined && !undelete) dropDeleted(deletion);
    return { outcome: 'kept', item: stored, narrowed: [], lookAt: [] };
  });
}
