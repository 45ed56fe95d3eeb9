import * as v from 'valibot';
import { operationOf } from '../../contract/management/operations.ts';
import type { ManagementCall } from '../../contract/management/request.ts';
import type { ManagementContext } from './management-context.ts';
import { operations } from './operations.ts';
import { withAuthors } from './person-names.ts';
import { readCall } from './requests/read-call.ts';

type Run = (context: ManagementContext, ...args: readonly unknown[]) => unknown;

/**
 * Runs one operation. Its input is checked here, once, and its result has only what the contract
 * declares: no hash leaves.
 *
 * @param isRequest whether a repetition must do no harm, see `Guard`.
 * @throws {InputError} with every field that is not allowed.
 */
export async function runOperation(
  context: ManagementContext,
  call: ManagementCall,
  isRequest: boolean,
): Promise<unknown> {
  const args = readCall(call, context, isRequest);
  const run = operations[call.operation] as Run;
  const result = v.parse(operationOf(call.operation).result, await run(context, ...args));
  return withAuthors(context, result);
}
