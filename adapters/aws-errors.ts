import { ServiceUnavailableError } from '../core/errors.ts';
import {
  type CallError,
  isServerError,
  isThrottlingError,
  isTransientError,
} from './retryable-errors.ts';

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
  service: 'DynamoDB' | 'EventBridge' | 'KMS' | 'Lambda' | 'STS',
  doing: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && isAwsUnavailability(error)) {
      const text = `could not ${doing}: ${describeCause(error)}`;
      throw new ServiceUnavailableError(service, text, { cause: error });
    }
    if (error instanceof Error && error.name === 'ResourceNotFoundException') {
      throw new ResourceNotFoundError(`could not ${doing}: it does not exist in this AWS region`, {
        cause: error,
      });
    }
    throw error;
  }
}
