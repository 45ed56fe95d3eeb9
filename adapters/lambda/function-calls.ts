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
import { UnavailableError } from '../../core/errors.ts';
import type { ProveKey, PublishKey } from '../../core/key-rotation/rotation-ports.ts';
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
