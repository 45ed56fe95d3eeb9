import { isAwsDenial } from '../contract/aws-denials.ts';
import {
  ServiceUnavailableError,
  SigningKeyUnusableError,
  UnavailableError,
} from '../core/errors.ts';
import { type CallError, isServerError, isThrottlingError, isTransientError } from './retries.ts';

/**
 * Whether the service, the network or a timeout failed, so the same call may succeed later.
 * `AbortError` is the caller's own deadline.
 */
export function isAwsUnavailability(error: Error): boolean {
  const sdkError = error as CallError;
  return (
    error.name === 'AbortError' ||
    isThrottlingError(sdkError) ||
    isTransientError(sdkError) ||
    isServerError(sdkError)
  );
}

/**
 * The part of an error that may be quoted in another error's message. Node's own errors are all
 * called `Error`, and what they say is the address that does not answer; what AWS says may hold
 * anything.
 */
function describeCause(error: Error): string {
  if (error instanceof AggregateError) {
    const causes = error.errors.filter((cause) => cause instanceof Error).map(describeCause);
    return [...new Set(causes)].join(', ') || error.name;
  }
  return 'syscall' in error ? error.message : error.name;
}

/**
 * A named table or function does not exist. AWS's own message does not say which. It has the name
 * of AWS's error, so callers recognise both in the same way.
 */
export class ResourceNotFoundError extends Error {
  override readonly name = 'ResourceNotFoundException';
}

/**
 * Makes an AWS call and converts its errors to those of the port: ServiceUnavailableError for
 * temporary failures, ResourceNotFoundError for missing resources. Other errors stay as they are.
 *
 * @param service what is called, as AWS names it.
 * @param doing the operation, for the error and the log: `list keys`. Never text from a caller.
 */
export async function callAws<T>(
  service: 'DynamoDB' | 'EventBridge' | 'KMS' | 'Lambda' | 'Service Quotas' | 'STS',
  doing: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && isAwsUnavailability(error)) {
      const text = `could not ${doing}: ${describeCause(error)}`;
      const isThrottling = isThrottlingError(error);
      throw new ServiceUnavailableError(service, text, { cause: error, isThrottling });
    }
    if (error instanceof Error && error.name === 'ResourceNotFoundException') {
      throw new ResourceNotFoundError(`could not ${doing}: it does not exist in this AWS region`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** KMS's response does not match the request. No part of it may be used. */
export class KmsResponseError extends UnavailableError {
  override readonly name = 'KmsResponseError';
}

/** Names of KMS errors that mean that no retry with this key can succeed. */
const keyRefusals: ReadonlySet<string> = new Set([
  'NotFoundException',
  'DisabledException',
  // Being deleted, or still being created.
  'KMSInvalidStateException',
  'InvalidKeyUsageException',
  // The tag that roles select keys by is not set, or has no effect yet.
  'AccessDeniedException',
]);

/**
 * Makes a KMS call that needs a usable key.
 *
 * @throws {SigningKeyUnusableError} if KMS refuses the key.
 */
export async function callWithKey<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await callAws('KMS', doing, call);
  } catch (error) {
    if (!(error instanceof Error) || !keyRefusals.has(error.name)) throw error;
    const { requestId } = (error as CallError).$metadata ?? {};
    const denial = isAwsDenial(error) ? readDenial(error) : undefined;
    const reason = denial === undefined ? error.name : `${error.name}, ${denial}`;
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    throw new SigningKeyUnusableError(`could not ${doing}: ${reason}${request}`, { cause: error });
  }
}

/** Waits for a write whose condition fails if there is nothing to write. */
export async function unlessConditionFails(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'ConditionalCheckFailedException';
    if (!isKnown) throw error;
  }
}

/**
 * The parts of AWS's message that name the permission: `User: … is not authorized to perform:
 * kms:CreateKey on resource: * because no identity-based policy allows the kms:CreateKey action`.
 * No other part of the message is repeated.
 */
const message =
  /not authorized to perform: (?<action>[\w-]+:\w+)(?: on resource: (?<resource>[\w:/*.+=@$-]+))?(?: because (?<missing>no [a-z -]+) allows| with an (?<denied>explicit deny in an? [a-z -]+))?/;

/** Why a call failed that succeeds when IAM knows a new role, or after an outage; undefined for others. */
export function describePassing(error: unknown): string | undefined {
  return describeDenial(error) ?? (error instanceof UnavailableError ? error.message : undefined);
}

/** Causes are nested less deeply than this. */
const maxDepth = 5;

/**
 * Names the permission that is missing, if AWS refused a call for lack of one.
 *
 * @returns undefined for any other error.
 */
export function describeDenial(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > maxDepth) return undefined;
  if (!isAwsDenial(error)) return describeDenial(error.cause, depth + 1);
  return readDenial(error) ?? `${error.name}, without the name of a permission`;
}

/** The permission that AWS's message names. */
function readDenial(error: Error): string | undefined {
  const { action, resource, missing, denied } = message.exec(error.message)?.groups ?? {};
  if (action === undefined) return undefined;
  const where = resource === undefined ? '' : ` on ${resource}`;
  const reasons = [missing && `${missing} allows it`, denied?.trim()].filter(Boolean);
  return [`IAM does not allow ${action}${where}`, ...reasons].join(': ');
}
