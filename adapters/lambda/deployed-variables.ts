import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { callAws, ResourceNotFoundError } from '../aws-errors.ts';

/**
 * The environment of the version that an alias names; undefined if there is no such function or
 * alias.
 *
 * @throws {UnavailableError} if Lambda does not answer.
 */
export type ReadVariables = (
  functionName: string,
  alias: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

export function createReadVariables(lambda: LambdaClient): ReadVariables {
  return async (FunctionName, Qualifier) => {
    const command = new GetFunctionConfigurationCommand({ FunctionName, Qualifier });
    try {
      const { Environment } = await callAws('Lambda', `read ${FunctionName}:${Qualifier}`, () =>
        lambda.send(command),
      );
      return Environment?.Variables ?? {};
    } catch (error) {
      if (error instanceof ResourceNotFoundError) return undefined;
      throw error;
    }
  };
}
