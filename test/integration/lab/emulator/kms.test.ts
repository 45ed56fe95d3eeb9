import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateKeyCommand,
  type CreateKeyCommandInput,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ScheduleKeyDeletionCommand,
  SignCommand,
  TagResourceCommand,
} from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunningService } from '../../../../lab/emulator/aws-server/aws-server.ts';
import { startKms } from '../../../../lab/emulator/kms/kms-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { testAccessKey } from '../../../support/test-access-key.ts';

const day = 86_400_000;
let clock = Date.UTC(2026, 10, 20);
let server: RunningService;
let kms: KMSClient;

function createClient(endpoint: string): KMSClient {
  return new KMSClient({
    endpoint,
    region: 'us-west-2',
    credentials: testAccessKey,
    maxAttempts: 1,
  });
}

async function createKey(input: Partial<CreateKeyCommandInput> = {}): Promise<string> {
  const { KeyMetadata } = await kms.send(
    new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY', ...input }),
  );
  return KeyMetadata?.Arn ?? '';
}

async function readPublicKey(arn: string): Promise<KeyObject> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: arn }));
  return createPublicKey({ key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' });
}

async function sign(KeyId: string): Promise<Uint8Array> {
  const SigningAlgorithm = 'ECDSA_SHA_256';
  const Message = Buffer.from('x');
  const command = new SignCommand({ KeyId, SigningAlgorithm, MessageType: 'RAW', Message });
  return (await kms.send(command)).Signature ?? new Uint8Array();
}

beforeAll(async () => {
  server = await startKms({ accessKey: testAccessKey, clock: () => clock });
  kms = createClient(server.endpoint);
});

afterAll(async () => {
  kms.destroy();
  await server.close();
});

describe('the states of a key', () => {
  it('can be neither used nor changed while it waits for deletion', async () => {
    const KeyId = await createKey();
    const PendingWindowInDays = 7;
    const scheduled = await kms.send(
      new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays }),
    );
    expect(scheduled).toMatchObject({
      KeyId,
      KeyState: 'PendingDeletion',
      PendingWindowInDays,
      DeletionDate: new Date(clock + 7 * day),
    });
    for (const refused of [
      () => sign(KeyId),
      () => readPublicKey(KeyId),
      () => kms.send(new EnableKeyCommand({ KeyId })),
      () => kms.send(new DisableKeyCommand({ KeyId })),
      () => kms.send(new ScheduleKeyDeletionCommand({ KeyId })),
      () => kms.send(new TagResourceCommand({ KeyId, Tags: [{ TagKey: 'a', TagValue: '' }] })),
    ]) {
      await expect(refused()).rejects.toMatchObject({ name: 'KMSInvalidStateException' });
    }
    const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId }));
    expect(KeyMetadata).toMatchObject({ KeyState: 'PendingDeletion', Enabled: false });
  });

  it('is gone when the waiting period is over', async () => {
    const KeyId = await createKey();
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }));
    clock += 7 * day - 1;
    await kms.send(new DescribeKeyCommand({ KeyId }));
    clock += 1;
    await expect(kms.send(new DescribeKeyCommand({ KeyId }))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });
});

describe('persistence', () => {
  it('keeps keys, tags and states over a restart, in files that only their owner can read', async () => {
    const directory = join(temporaryDirectory(), 'kms');
    const first = await startKms({ accessKey: testAccessKey, directory });
    const before = createClient(first.endpoint);
    const { KeyMetadata } = await before.send(
      new CreateKeyCommand({
        KeySpec: 'ML_DSA_44',
        KeyUsage: 'SIGN_VERIFY',
        Tags: [{ TagKey: 'a', TagValue: '1' }],
      }),
    );
    const KeyId = KeyMetadata?.Arn ?? '';
    const publicBefore = await before.send(new GetPublicKeyCommand({ KeyId }));
    await before.send(new DisableKeyCommand({ KeyId }));
    before.destroy();
    await first.close();

    const [file = ''] = readdirSync(directory);
    expect(readdirSync(directory)).toHaveLength(1);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(directory, file), 'utf8')).toContain('BEGIN PRIVATE KEY');

    const second = await startKms({ accessKey: testAccessKey, directory });
    const after = createClient(second.endpoint);
    onTestFinished(async () => {
      after.destroy();
      await second.close();
    });
    const described = await after.send(new DescribeKeyCommand({ KeyId }));
    expect(described.KeyMetadata).toEqual({ ...KeyMetadata, Enabled: false, KeyState: 'Disabled' });
    await after.send(new EnableKeyCommand({ KeyId }));
    const publicAfter = await after.send(new GetPublicKeyCommand({ KeyId }));
    expect(publicAfter.PublicKey).toEqual(publicBefore.PublicKey);
  });
});
