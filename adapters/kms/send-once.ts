import type { CreateKeyCommand, CreateKeyCommandOutput, KMSClient } from '@aws-sdk/client-kms';
import type { PortOptions } from '../../core/port.ts';

/**
 * Carries an error past the SDK's retry, which would retry the error in `failure`. It is not in
 * `cause`, because the SDK also reads causes.
 */
class FirstAttemptError extends Error {
  override readonly name = 'FirstAttemptError';
  readonly failure: unknown;

  constructor(failure: unknown) {
    super('the only attempt failed');
    this.failure = failure;
  }
}

/** Sends a command that must not be repeated when its answer is lost. Errors are the SDK's. */
export async function sendOnce(
  kms: KMSClient,
  command: CreateKeyCommand,
  options: PortOptions,
): Promise<CreateKeyCommandOutput> {
  command.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (failure) {
        throw new FirstAttemptError(failure);
      }
    },
    // This runs inside the SDK's retry, which has high priority in the same step.
    { step: 'finalizeRequest', priority: 'low', name: 'sendOnce' },
  );
  try {
    return await kms.send(command, { abortSignal: options.signal });
  } catch (error) {
    throw error instanceof FirstAttemptError ? error.failure : error;
  }
}
