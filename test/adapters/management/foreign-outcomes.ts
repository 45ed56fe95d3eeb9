import {
  InputError,
  type Management,
  NotFoundError,
  type OperationName,
  RefusedError,
} from '../../../adapters/management.ts';
import { managementOperations, operationOf } from '../../../contract/management/operations.ts';
import { isObject, runOperation } from './run-operation.ts';

type Outcome = 'done' | 'input' | 'not found' | 'refused' | 'empty';

/** What does not follow from arguments and result, see {@link foreignOutcomes}. */
const exceptions: Readonly<Partial<Record<OperationName, Outcome>>> = {
  createClient: 'input',
  importClient: 'input',
  createApiKey: 'input',
  // Looking at the platform's providers is open to everyone; a change concerns every group. What a
  // trunk group can do with its own: test/lambda/management/own-providers.test.ts.
  inspectProvider: 'refused',
  registerProvider: 'input',
  listProvidersWithLimits: 'not found',
  deleteProvider: 'refused',
  setProviderTrunkGroups: 'input',
  setSubjectGrant: 'refused',
  setIssuerGrant: 'refused',
  listGrants: 'refused',
  checkGrants: 'refused',
  // Only the platform's staff, whose reach is every group.
  setTrunkGroupLimits: 'refused',
  setTrunkGroupEnabled: 'refused',
  erasePersonName: 'refused',
  // It says that there is no such client, as to anyone who makes up an id.
  explainToken: 'done',
};

function expectedOutcome(name: OperationName): Outcome {
  const { parameters, result } = operationOf(name);
  if ('entries' in result && 'items' in (result.entries as object)) return 'empty';
  const ids = ['clientId', 'keyId', 'serviceTrunkGroup'];
  return ids.some((id) => id in parameters) ? 'not found' : 'done';
}

/**
 * What an operation does on the client and the API key of another trunk group than those that the
 * caller is limited to: a list is empty, and what has an id is not found. On those of its own group
 * each is done.
 */
export const foreignOutcomes = Object.fromEntries(
  (Object.keys(managementOperations) as OperationName[]).map((name) => [
    name,
    exceptions[name] ?? expectedOutcome(name),
  ]),
) as Readonly<Record<OperationName, Outcome>>;

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
