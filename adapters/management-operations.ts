import { addSubnet, removeSubnet } from '../core/management/api-key-subnets.ts';
import {
  createApiKey,
  deleteApiKey,
  findApiKey,
  renameApiKey,
  setApiKeyEnabled,
} from '../core/management/api-keys.ts';
import { deleteClient, setClientEnabled, updateClient } from '../core/management/change-client.ts';
import {
  createClientSecret,
  deleteClientSecret,
  rotateClientSecret,
  updateClientSecret,
} from '../core/management/client-secrets.ts';
import { createClient } from '../core/management/create-client.ts';
import { deleteProvider } from '../core/management/delete-provider.ts';
import { describeDeployment } from '../core/management/describe-deployment.ts';
import { explainRequest } from '../core/management/explain-request.ts';
import { explainToken } from '../core/management/explain-token.ts';
import { findClient } from '../core/management/find-client.ts';
import { findProvider, listProviders } from '../core/management/identity-providers.ts';
import { inspectProvider } from '../core/management/inspect-provider.ts';
import { listApiKeys } from '../core/management/list-api-keys.ts';
import { listAudit } from '../core/management/list-audit.ts';
import { listClients } from '../core/management/list-clients.ts';
import { listSigningKeys } from '../core/management/list-signing-keys.ts';
import { inspectProviderKeys } from '../core/management/provider-keys.ts';
import { registerProvider } from '../core/management/register-provider.ts';
import { revokeClientTokens } from '../core/management/revoke-client-tokens.ts';

/** The operations that a portal or `authctl` can call. Each is documented at its definition. */
export const operations = {
  describeDeployment,
  createClient,
  findClient,
  listClients,
  updateClient,
  setClientEnabled,
  revokeClientTokens,
  deleteClient,
  createClientSecret,
  rotateClientSecret,
  updateClientSecret,
  deleteClientSecret,
  createApiKey,
  findApiKey,
  listApiKeys,
  renameApiKey,
  setApiKeyEnabled,
  deleteApiKey,
  addSubnet,
  removeSubnet,
  inspectProvider,
  registerProvider,
  findProvider,
  listProviders,
  inspectProviderKeys,
  deleteProvider,
  explainToken,
  explainRequest,
  listAudit,
  listSigningKeys,
} as const;
