import type { OperationName } from '../../adapters/management.ts';
import { type Role, roles } from './person.ts';

/** The least role that may use an operation. */
export const leastRoles: Readonly<Record<OperationName, Role>> = {
  describeDeployment: 'viewer',
  findClient: 'viewer',
  listClients: 'viewer',
  findApiKey: 'viewer',
  listApiKeys: 'viewer',
  findProvider: 'viewer',
  listProviders: 'viewer',
  inspectProviderKeys: 'viewer',
  explainToken: 'viewer',
  explainRequest: 'viewer',
  listSigningKeys: 'viewer',
  createClient: 'operator',
  updateClient: 'operator',
  setClientEnabled: 'operator',
  revokeClientTokens: 'operator',
  deleteClient: 'operator',
  createClientSecret: 'operator',
  rotateClientSecret: 'operator',
  updateClientSecret: 'operator',
  deleteClientSecret: 'operator',
  createApiKey: 'operator',
  renameApiKey: 'operator',
  setApiKeyEnabled: 'operator',
  deleteApiKey: 'operator',
  addSubnet: 'operator',
  removeSubnet: 'operator',
  // Providers and the audit concern every trunk group.
  inspectProvider: 'administrator',
  registerProvider: 'administrator',
  deleteProvider: 'administrator',
  listAudit: 'administrator',
};

export function mayUse(role: Role, operation: OperationName): boolean {
  return roles.indexOf(role) >= roles.indexOf(leastRoles[operation]);
}
