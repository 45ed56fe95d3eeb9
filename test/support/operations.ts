import { type OperationName, operationOf } from '../../contract/management/operations.ts';
import type { ManagementContext } from '../../core/management/management-context.ts';
import { operations } from '../../core/management/operations.ts';
import { nameArguments, readCall } from '../../core/management/requests/read-call.ts';

type Operations = typeof operations;

type Run = (context: ManagementContext, ...args: readonly unknown[]) => unknown;

/** An operation whose input is checked as it is for every caller. Its result is not. */
function checked<Name extends OperationName>(name: Name): Operations[Name] {
  const run = operations[name] as Run;
  const checking = async (context: ManagementContext, ...args: readonly unknown[]) => {
    const input = nameArguments(operationOf(name), args);
    return run(context, ...readCall({ operation: name, input }, context, false));
  };
  return checking as unknown as Operations[Name];
}

export const describeDeployment = checked('describeDeployment');
export const createClient = checked('createClient');
export const findClient = checked('findClient');
export const listClients = checked('listClients');
export const updateClient = checked('updateClient');
export const setClientEnabled = checked('setClientEnabled');
export const revokeClientTokens = checked('revokeClientTokens');
export const deleteClient = checked('deleteClient');
export const createClientSecret = checked('createClientSecret');
export const rotateClientSecret = checked('rotateClientSecret');
export const updateClientSecret = checked('updateClientSecret');
export const disableClientSecret = checked('disableClientSecret');
export const enableClientSecret = checked('enableClientSecret');
export const deleteClientSecret = checked('deleteClientSecret');
export const createApiKey = checked('createApiKey');
export const findApiKey = checked('findApiKey');
export const listApiKeys = checked('listApiKeys');
export const updateApiKey = checked('updateApiKey');
export const rotateApiKey = checked('rotateApiKey');
export const setApiKeyEnabled = checked('setApiKeyEnabled');
export const deleteApiKey = checked('deleteApiKey');
export const addSubnet = checked('addSubnet');
export const removeSubnet = checked('removeSubnet');
export const inspectProvider = checked('inspectProvider');
export const registerProvider = checked('registerProvider');
export const findProvider = checked('findProvider');
export const listProviders = checked('listProviders');
export const listProvidersWithLimits = checked('listProvidersWithLimits');
export const inspectProviderKeys = checked('inspectProviderKeys');
export const deleteProvider = checked('deleteProvider');
export const setProviderTrunkGroups = checked('setProviderTrunkGroups');
export const findTrunkGroupLimits = checked('findTrunkGroupLimits');
export const listTrunkGroupLimits = checked('listTrunkGroupLimits');
export const checkTrunkGroupLimits = checked('checkTrunkGroupLimits');
export const setTrunkGroupLimits = checked('setTrunkGroupLimits');
export const setTrunkGroupEnabled = checked('setTrunkGroupEnabled');
export const explainToken = checked('explainToken');
export const explainRequest = checked('explainRequest');
export const listAudit = checked('listAudit');
export const listHistory = checked('listHistory');
