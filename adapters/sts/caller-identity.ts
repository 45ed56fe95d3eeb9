import {
  type AwsClientOptions,
  clientConfiguration,
  limitResponses,
} from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';

/**
 * Names the caller: the ARN of the user or of the role's session. The call needs no permission. It
 * is repeated until it succeeds.
 *
 * @throws {UnavailableError} if STS does not answer in time.
 */
export function createCallerIdentity(options: AwsClientOptions = {}): () => Promise<string> {
  let known: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const { endpointSts: endpoint } = options;
    // Loaded only if something changes: lists and the local run need no STS.
    const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
    const client = new STSClient({
      ...clientConfiguration(options),
      ...(endpoint !== undefined && { endpoint }),
    });
    const { Arn: arn } = await callAws('STS', 'find out who calls', () =>
      limitResponses(client, options).send(new GetCallerIdentityCommand({})),
    );
    if (arn === undefined) throw new Error('STS named no caller');
    return arn;
  };
  return () => {
    // A failure is not cached, because a portal runs longer than an outage of STS.
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
