import {
  InputError,
  type Management,
  NotFoundError,
  type OperationName,
  RefusedError,
} from '../../../adapters/management.ts';
import { isObject, runOperation } from './run-operation.ts';

type Outcome = 'done' | 'input' | 'not found' | 'refused' | 'empty';

/**
 * What an operation does on the client and the API key of another trunk group than those that the
 * caller is limited to. On those of its own group each is done.
 */
export const foreignOutcomes: Readonly<Record<OperationName, Outcome>> = {
  describeDeployment: 'done',
  createClient: 'input',
  findClient: 'not found',
  listClients: 'empty',
  updateClient: 'not found',
  setClientEnabled: 'not found',
  revokeClientTokens: 'not found',
  deleteClient: 'not found',
  createClientSecret: 'not found',
  rotateClientSecret: 'not found',
  updateClientSecret: 'not found',
  disableClientSecret: 'not found',
  enableClientSecret: 'not found',
  deleteClientSecret: 'not found',
  createApiKey: 'input',
  findApiKey: 'not found',
  listApiKeys: 'empty',
  renameApiKey: 'not found',
  updateApiKey: 'not found',
  rotateApiKey: 'not found',
  setApiKeyEnabled: 'not found',
  deleteApiKey: 'not found',
  addSubnet: 'not found',
  removeSubnet: 'not found',
  // Looking at the platform's providers is open to everyone; a change concerns every group. What a
  // trunk group can do with its own: test/lambda/management/own-providers.test.ts.
  inspectProvider: 'refused',
  registerProvider: 'input',
  findProvider: 'done',
  listProviders: 'done',
  listProvidersWithLimits: 'not found',
  inspectProviderKeys: 'done',
  deleteProvider: 'refused',
  setProviderTrunkGroups: 'input',
  findSubjectGrants: 'done',
  setSubjectGrant: 'refused',
  findIssuerGrants: 'done',
  setIssuerGrant: 'refused',
  listGrants: 'refused',
  checkGrants: 'refused',
  findTrunkGroupLimits: 'not found',
  listTrunkGroupLimits: 'empty',
  checkTrunkGroupLimits: 'not found',
  // Only the platform's staff, whose reach is every group.
  setTrunkGroupLimits: 'refused',
  listExpiring: 'empty',
  // It says that there is no such client, as to anyone who makes up an id.
  explainToken: 'done',
  explainRequest: 'done',
  listAudit: 'empty',
  listHistory: 'empty',
  erasePersonName: 'refused',
  listSigningKeys: 'done',
};

/** What happens, in the words of the table. */
export async function outcomeOf(
  management: Management,
  name: OperationName,
  args: readonly unknown[],
): Promise<Outcome> {
  try {
    const result = await runOperation(management, name, args);
    const items = isObject(result) ? result.items : undefined;
    return Array.isArray(items) && items.length === 0 ? 'empty' : 'done';
  } catch (error) {
    if (error instanceof NotFoundError) return 'not found';
    if (error instanceof InputError) return 'input';
    if (error instanceof RefusedError) return 'refused';
    throw error;
  }
}
