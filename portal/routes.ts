import type { Fields } from './forms/fields.ts';
import {
  confirmDeleteApiKey,
  deleteApiKey,
  disableApiKey,
  editApiKey,
  enableApiKey,
  updateApiKey,
} from './pages/api-keys/change-key.ts';
import { showApiKey } from './pages/api-keys/key-details.ts';
import { exportApiKeys, showApiKeys } from './pages/api-keys/key-list.ts';
import { addSubnet, confirmRemoveSubnet, removeSubnet } from './pages/api-keys/key-subnets.ts';
import { createApiKey, newApiKey } from './pages/api-keys/new-key.ts';
import { showAudit } from './pages/audit/audit.ts';
import { showApiKeyHistory, showClientHistory } from './pages/audit/history.ts';
import {
  confirmDeleteSecret,
  deleteSecret,
  disableSecret,
  editSecret,
  enableSecret,
  updateSecret,
} from './pages/client-secrets/change-secret.ts';
import { createSecret, newSecret } from './pages/client-secrets/new-secret.ts';
import { newRotation, rotateSecret } from './pages/client-secrets/rotate-secret.ts';
import { showClient } from './pages/clients/client-details.ts';
import { exportClients, showClients } from './pages/clients/client-list.ts';
import { editClient, updateClient } from './pages/clients/edit-client.ts';
import { createClient, newClient } from './pages/clients/new-client.ts';
import {
  confirmDeleteClient,
  confirmRevokeTokens,
  deleteClient,
  disableClient,
  enableClient,
  revokeTokens,
} from './pages/clients/stop-client.ts';
import { explain, explainCredential } from './pages/explain/explain.ts';
import { showOverview } from './pages/overview/overview.ts';
import { confirmDeleteProvider, deleteProvider } from './pages/providers/delete-provider.ts';
import { showProvider } from './pages/providers/provider-details.ts';
import { editProviderGroups, updateProviderGroups } from './pages/providers/provider-groups.ts';
import { showProviders } from './pages/providers/provider-list.ts';
import { newProvider, registerProvider } from './pages/providers/register-provider.ts';
import { exportExpiring, showExpiring } from './pages/report/expiring.ts';
import { showSigningKeys } from './pages/signing-keys/signing-keys.ts';
import { editTrunkGroup, updateTrunkGroup } from './pages/trunk-groups/change-limits.ts';
import { showTrunkGroup } from './pages/trunk-groups/trunk-group-details.ts';
import { showTrunkGroups } from './pages/trunk-groups/trunk-group-list.ts';
import type { Handler } from './request-context.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** `:name` matches one part of the path. */
  readonly path: string;
  readonly handle: Handler;
  /**
   * Whether it creates a credential, or shows the form for it. What is registered at a provider is
   * one: its tokens are accepted at once.
   *
   * @param fields of the form, or of the query of a GET.
   */
  readonly isForCredential?: ((fields: Fields) => boolean) | undefined;
}

const get = (path: string, handle: Handler): Route => ({ method: 'GET', path, handle });
const post = (path: string, handle: Handler): Route => ({ method: 'POST', path, handle });

const forCredential = (
  route: Route,
  isForCredential: Route['isForCredential'] = () => true,
): Route => ({ ...route, isForCredential });

const isUnderProvider = (fields: Fields) => fields.text('provider') !== '';

/**
 * Every page of the portal. A GET changes nothing; every change is a POST. A fixed path comes
 * before one with a name in its place.
 */
export const routes: readonly Route[] = [
  get('/', showOverview),

  get('/clients', showClients),
  get('/clients/export', exportClients),
  forCredential(get('/clients/new', newClient), isUnderProvider),
  forCredential(post('/clients', createClient), isUnderProvider),
  get('/clients/:clientId', showClient),
  get('/clients/:clientId/history', showClientHistory),
  get('/clients/:clientId/edit', editClient),
  post('/clients/:clientId', updateClient),
  post('/clients/:clientId/enable', enableClient),
  post('/clients/:clientId/disable', disableClient),
  get('/clients/:clientId/revoke-tokens', confirmRevokeTokens),
  post('/clients/:clientId/revoke-tokens', revokeTokens),
  get('/clients/:clientId/delete', confirmDeleteClient),
  post('/clients/:clientId/delete', deleteClient),

  forCredential(get('/clients/:clientId/secrets/new', newSecret)),
  forCredential(post('/clients/:clientId/secrets', createSecret)),
  forCredential(get('/clients/:clientId/secrets/rotate', newRotation)),
  forCredential(post('/clients/:clientId/secrets/rotate', rotateSecret)),
  get('/clients/:clientId/secrets/:secretId/edit', editSecret),
  post('/clients/:clientId/secrets/:secretId', updateSecret),
  post('/clients/:clientId/secrets/:secretId/enable', enableSecret),
  post('/clients/:clientId/secrets/:secretId/disable', disableSecret),
  get('/clients/:clientId/secrets/:secretId/delete', confirmDeleteSecret),
  post('/clients/:clientId/secrets/:secretId/delete', deleteSecret),

  get('/api-keys', showApiKeys),
  get('/api-keys/export', exportApiKeys),
  forCredential(get('/api-keys/new', newApiKey)),
  forCredential(post('/api-keys', createApiKey)),
  get('/api-keys/:keyId', showApiKey),
  get('/api-keys/:keyId/history', showApiKeyHistory),
  get('/api-keys/:keyId/edit', editApiKey),
  post('/api-keys/:keyId', updateApiKey),
  post('/api-keys/:keyId/enable', enableApiKey),
  post('/api-keys/:keyId/disable', disableApiKey),
  get('/api-keys/:keyId/delete', confirmDeleteApiKey),
  post('/api-keys/:keyId/delete', deleteApiKey),
  post('/api-keys/:keyId/subnets', addSubnet),
  get('/api-keys/:keyId/subnets/:subnetId/remove', confirmRemoveSubnet),
  post('/api-keys/:keyId/subnets/:subnetId/remove', removeSubnet),

  get('/identity-providers', showProviders),
  forCredential(get('/identity-providers/new', newProvider)),
  forCredential(post('/identity-providers', registerProvider)),
  get('/identity-providers/show', showProvider),
  get('/identity-providers/trunk-groups', editProviderGroups),
  post('/identity-providers/trunk-groups', updateProviderGroups),
  get('/identity-providers/delete', confirmDeleteProvider),
  post('/identity-providers/delete', deleteProvider),

  get('/expiring', showExpiring),
  get('/expiring/export', exportExpiring),

  get('/trunk-groups', showTrunkGroups),
  get('/trunk-groups/:group', showTrunkGroup),
  get('/trunk-groups/:group/edit', editTrunkGroup),
  post('/trunk-groups/:group', updateTrunkGroup),

  get('/signing-keys', showSigningKeys),
  get('/explain', explain),
  post('/explain/credential', explainCredential),
  get('/audit', showAudit),
];
