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
  selfTestResultSchema,
} from '../../contract/function-events.ts';
import { selfTestEvent } from '../../contract/health.ts';
import type { ReservationCheck } from '../../core/deployment/account-quotas.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { CheckKey, PublishKey } from '../../core/key-rotation/rotation-ports.ts';
import { callAws, ResourceNotFoundError } from '../aws-errors.ts';
import type { InvokeFunction } from './invocation.ts';

/**
 * Invokes a function. A response with another shape comes from another version of it: wait until
 * this version is deployed.
 */
async function ask<T extends v.GenericSchema>(
  invoke: InvokeFunction,
  functionName: string,
  event: object,
  schema: T,
): Promise<v.InferOutput<T>> {
  const result = v.safeParse(schema, await invoke(functionName, event));
  if (result.success) return result.output;
  throw new UnavailableError(`${functionName} returned a response of an unknown shape`);
}

/** The token function's self-test, by invoking it. */
export function createSelfTestCall(
  invoke: InvokeFunction,
  functionName: string,
): () => Promise<SelfTestResult> {
  return () => ask(invoke, functionName, selfTestEvent, selfTestResultSchema);
}

/** A run of the key rotation, by invoking it. */
export async function askKeyRotation(
  invoke: InvokeFunction,
  functionName: string,
  event: KeyRotationEvent,
): Promise<RotationReport> {
  return ask(invoke, functionName, event, rotationReportSchema);
}

/** The canary's check of a key, by invoking it. */
export function createCheckKey(invoke: InvokeFunction, functionName: string): CheckKey {
  return async (kid) => (await ask(invoke, functionName, { kid }, canaryResultSchema)).findings;
}

/** The publication of a key, by asking the canary. */
export function createPublishKey(invoke: InvokeFunction, functionName: string): PublishKey {
  return (request) =>
    ask(invoke, functionName, { action: 'publish', ...request }, publicationResultSchema);
}

/** Undefined if there is no such function or alias: before the first deployment. */
async function unlessMissing<T>(doing: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callAws('Lambda', doing, call);
  } catch (error) {
    if (error instanceof ResourceNotFoundError) return undefined;
    throw error;
  }
}

/**
 * The environment of the version that an alias names; undefined if there is no such function or
 * alias.
 */
export type ReadVariables = (
  functionName: string,
  alias: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

export function createReadVariables(lambda: LambdaClient): ReadVariables {
  return async (FunctionName, Qualifier) => {
    const command = new GetFunctionConfigurationCommand({ FunctionName, Qualifier });
    const found = await unlessMissing(`read ${FunctionName}:${Qualifier}`, () =>
      lambda.send(command),
    );
    return found && (found.Environment?.Variables ?? {});
  };
}

/** The concurrent executions of the account, and how many of them these functions have reserved. */
export type ReadConcurrency = (
  functionNames: readonly string[],
) => Promise<Pick<ReservationCheck, 'account' | 'held'>>;

export function createReadConcurrency(lambda: LambdaClient): ReadConcurrency {
  const readHeld = async (FunctionName: string): Promise<number> => {
    const command = new GetFunctionConcurrencyCommand({ FunctionName });
    const found = await unlessMissing(`read the reservation of ${FunctionName}`, () =>
      lambda.send(command),
    );
    return found?.ReservedConcurrentExecutions ?? 0;
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
