import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import {
  canaryResultSchema,
  type KeyRotationEvent,
  publicationResultSchema,
  type RotationReport,
  rotationReportSchema,
  type SelfTestResult,
  selfTestEvent,
  selfTestResultSchema,
} from '../../contract/function-events.ts';
import type { ReservationCheck } from '../../core/deployment/reserved-concurrency.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { ProveKey, PublishKey } from '../../core/key-rotation/rotation-ports.ts';
import { callAws, ResourceNotFoundError } from '../aws-errors.ts';
import type { InvokeFunction } from './invoke-function.ts';

/**
 * A response with another shape comes from another version of the function: wait until this version
 * is deployed.
 */
function readResponse<T extends v.GenericSchema>(
  schema: T,
  functionName: string,
  answer: unknown,
): v.InferOutput<T> {
  const result = v.safeParse(schema, answer);
  if (result.success) return result.output;
  throw new UnavailableError(`${functionName} returned a response of an unknown shape`);
}

/** The token function's self-test, by invoking it. */
export function createSelfTestCall(
  invoke: InvokeFunction,
  functionName: string,
): () => Promise<SelfTestResult> {
  return async () =>
    readResponse(selfTestResultSchema, functionName, await invoke(functionName, selfTestEvent));
}

/** A run of the key rotation, by invoking it. */
export async function askKeyRotation(
  invoke: InvokeFunction,
  functionName: string,
  event: KeyRotationEvent,
): Promise<RotationReport> {
  return readResponse(rotationReportSchema, functionName, await invoke(functionName, event));
}

/** The canary's proof of a key, by invoking it. */
export function createProveKey(invoke: InvokeFunction, functionName: string): ProveKey {
  return async (kid) => {
    const answer = await invoke(functionName, { kid });
    return readResponse(canaryResultSchema, functionName, answer).findings;
  };
}

/** The publication of a key, by asking the canary. */
export function createPublishKey(invoke: InvokeFunction, functionName: string): PublishKey {
  return async (request) => {
    const answer = await invoke(functionName, { action: 'publish', ...request });
    return readResponse(publicationResultSchema, functionName, answer);
  };
}

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
