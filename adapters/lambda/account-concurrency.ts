import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import type { ReservationCheck } from '../../core/deployment/reserved-concurrency.ts';
import { callAws, ResourceNotFoundError } from '../aws-errors.ts';

/**
 * The concurrent executions of the account, and how many of them these functions have reserved.
 *
 * @throws {UnavailableError} if Lambda does not answer.
 */
export type ReadConcurrency = (
  functionNames: readonly string[],
) => Promise<Pick<ReservationCheck, 'account' | 'held'>>;

export function createReadConcurrency(lambda: LambdaClient): ReadConcurrency {
  const readHeld = async (FunctionName: string): Promise<number> => {
    const command = new GetFunctionConcurrencyCommand({ FunctionName });
    try {
      const found = await callAws('Lambda', `read the reservation of ${FunctionName}`, () =>
        lambda.send(command),
      );
      return found.ReservedConcurrentExecutions ?? 0;
    } catch (error) {
      // Before the first deployment.
      if (error instanceof ResourceNotFoundError) return 0;
      throw error;
    }
  };
  return async (functionNames) => {
    const { AccountLimit } = await callAws('Lambda', 'read the quotas of the account', () =>
      lambda.send(new GetAccountSettingsCommand({})),
    );
    const held = await Promise.all(functionNames.map(readHeld));
    const limit = AccountLimit?.ConcurrentExecutions ?? 0;
    const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
    return { account: { limit, unreserved }, held: held.reduce((sum, one) => sum + one, 0) };
  };
}
