import type { OperationName, OperationResult } from '../../contract/management/operations.ts';
import { addSubnet, removeSubnet } from './api-key-subnets.ts';
import {
  createApiKey,
  deleteApiKey,
  findApiKey,
  listApiKeys,
  renameApiKey,
  setApiKeyEnabled,
  updateApiKey,
} from './api-keys.ts';
import {
  deleteClient,
  revokeClientTokens,
  setClientEnabled,
  updateClient,
} from './change-client.ts';
import {
  createClientSecret,
  deleteClientSecret,
  disableClientSecret,
  enableClientSecret,
  rotateClientSecret,
  updateClientSecret,
} from './client-secrets.ts';
import { createClient } from './create-client.ts';
import { deleteProvider } from './delete-provider.ts';
import { describeDeployment, listSigningKeys } from './describe-deployment.ts';
import { explainRequest } from './explain-request.ts';
import { explainToken } from './explain-token.ts';
import { findClient } from './find-client.ts';
import { checkGrants } from './grants/check-grants.ts';
import { findIssuerGrants, setIssuerGrant } from './grants/issuer-grants.ts';
import { findSubjectGrants, listGrants, setSubjectGrant } from './grants/subject-grants.ts';
import { findProvider, listProviders, listProvidersWithLimits } from './identity-providers.ts';
import { inspectProvider, inspectProviderKeys } from './inspect-provider.ts';
import { listAudit } from './list-audit.ts';
import { listClients } from './list-clients.ts';
import { listExpiring } from './list-expiring.ts';
import { listHistory } from './list-history.ts';
import type { ManagementContext } from './management-context.ts';
import { registerProvider } from './register-provider.ts';
import { setProviderTrunkGroups } from './set-provider-trunk-groups.ts';
import { checkTrunkGroupLimits } from './trunk-group-limits/check-limits.ts';
import {
  findTrunkGroupLimits,
  listTrunkGroupLimits,
  setTrunkGroupLimits,
} from './trunk-group-limits/limits-record.ts';

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
  disableClientSecret,
  enableClientSecret,
  deleteClientSecret,
  createApiKey,
  findApiKey,
  listApiKeys,
  renameApiKey,
  updateApiKey,
  setApiKeyEnabled,
  deleteApiKey,
  addSubnet,
  removeSubnet,
  inspectProvider,
  registerProvider,
  findProvider,
  listProviders,
  listProvidersWithLimits,
  inspectProviderKeys,
  deleteProvider,
  setProviderTrunkGroups,
  findSubjectGrants,
  setSubjectGrant,
  findIssuerGrants,
  setIssuerGrant,
  listGrants,
  checkGrants,
  findTrunkGroupLimits,
  listTrunkGroupLimits,
  checkTrunkGroupLimits,
  setTrunkGroupLimits,
  listExpiring,
  explainToken,
  explainRequest,
  listAudit,
  listHistory,
  listSigningKeys,
} as const satisfies {
  readonly [Name in OperationName]: (
    context: ManagementContext,
    ...args: never
  ) => OperationResult<Name> | Promise<OperationResult<Name>>;
};
