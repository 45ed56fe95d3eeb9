import {
  DisableKeyCommand,
  GetKeyPolicyCommand,
  KMSClient,
  ListKeysCommand,
  ScheduleKeyDeletionCommand,
  SignCommand,
  TagResourceCommand,
} from '@aws-sdk/client-kms';
import type { NamedPolicy, PolicyDocument } from '../../../lab/emulator/iam/evaluate-request.ts';
import type { LocalRun } from '../../../lab/local/start-local.ts';

function createKms({ aws }: LocalRun): KMSClient {
  return new KMSClient({
    region: aws.region ?? '',
    endpoint: aws.endpointKms ?? '',
    credentials: aws.credentials,
  });
}

/** What an administrator may not do to a signing key, regardless of IAM policies. */
export async function tryKey(run: LocalRun): Promise<readonly string[]> {
  const client = createKms(run);
  const { Keys = [] } = await client.send(new ListKeysCommand({}));
  const KeyId = Keys[0]?.KeyArn ?? '';
  const message = { Message: Buffer.alloc(32), MessageType: 'DIGEST' } as const;
  const attempts = [
    client.send(
      new SignCommand({ KeyId, ...message, SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256' }),
    ),
    client.send(new DisableKeyCommand({ KeyId })),
    client.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 })),
    client.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 30 })),
    client.send(new TagResourceCommand({ KeyId, Tags: [{ TagKey: 'a', TagValue: 'b' }] })),
  ];
  const results = await Promise.allSettled(attempts);
  client.destroy();
  return results.map((result) =>
    result.status === 'fulfilled' ? 'allowed' : (result.reason as Error).name,
  );
}

export async function readKeyPolicy(run: LocalRun): Promise<NamedPolicy> {
  const client = createKms(run);
  const { Keys = [] } = await client.send(new ListKeysCommand({}));
  const { Policy = '' } = await client.send(
    new GetKeyPolicyCommand({ KeyId: Keys[0]?.KeyId ?? '' }),
  );
  client.destroy();
  return { name: 'key policy', document: JSON.parse(Policy) as PolicyDocument };
}
