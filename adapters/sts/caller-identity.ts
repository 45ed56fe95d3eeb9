import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type AwsClientOptions, createSdkClient } from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';

/**
 * Names the caller: the ARN of the user or of the role's session. The call needs no permission. It
 * is repeated until it succeeds.
 */
export function createCallerIdentity(options: AwsClientOptions = {}): () => Promise<string> {
  let known: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const client = createSdkClient(
      (settings) => new STSClient(settings),
      options,
      options.endpointSts,
    );
    const { Arn: arn } = await callAws('STS', 'find out who calls', () =>
      client.send(new GetCallerIdentityCommand({})),
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
