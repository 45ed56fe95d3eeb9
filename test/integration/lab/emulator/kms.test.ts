import {
  constants,
  createHash,
  createPublicKey,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateKeyCommand,
  type CreateKeyCommandInput,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GetPublicKeyCommand,
  type KeySpec,
  KMSClient,
  type MessageType,
  ScheduleKeyDeletionCommand,
  SignCommand,
  type SigningAlgorithmSpec,
  TagResourceCommand,
} from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAwsCaller } from '../../../../lab/emulator/aws-server/aws-caller.ts';
import type { RunningService } from '../../../../lab/emulator/aws-server/aws-server.ts';
import { startKms } from '../../../../lab/emulator/kms/kms-server.ts';
import { testAccessKey } from '../../../support/test-access-key.ts';
import { temporaryDirectory } from '../local/temporary-directory.ts';

const day = 86_400_000;
let clock = Date.UTC(2026, 10, 20);
let server: RunningService;
let kms: KMSClient;

function createClient(endpoint: string, region = 'us-west-2'): KMSClient {
  return new KMSClient({
    endpoint,
    region,
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

async function sign(
  arn: string,
  algorithm: SigningAlgorithmSpec,
  type: MessageType,
  message: Uint8Array,
): Promise<Uint8Array> {
  const result = await kms.send(
    new SignCommand({
      KeyId: arn,
      SigningAlgorithm: algorithm,
      MessageType: type,
      Message: message,
    }),
  );
  return result.Signature ?? new Uint8Array();
}

beforeAll(async () => {
  server = await startKms({ accessKey: testAccessKey, clock: () => clock });
  kms = createClient(server.endpoint);
});

afterAll(async () => {
  kms.destroy();
  await server.close();
});

const pss = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
/** Spec, KMS algorithm, digest, and what node:crypto needs to verify the original message. */
const digestAlgorithms = [
  ['RSA_2048', 'RSASSA_PKCS1_V1_5_SHA_256', 'sha256', {}],
  ['RSA_2048', 'RSASSA_PSS_SHA_256', 'sha256', pss],
  ['ECC_NIST_P256', 'ECDSA_SHA_256', 'sha256', { dsaEncoding: 'der' }],
  ['ECC_NIST_P384', 'ECDSA_SHA_384', 'sha384', { dsaEncoding: 'der' }],
] as const;

const mlDsaSpecs = ['ML_DSA_44', 'ML_DSA_65', 'ML_DSA_87'] as const;

describe('Sign', () => {
  const arns = new Map<KeySpec, string>();

  beforeAll(async () => {
    for (const spec of ['RSA_2048', 'ECC_NIST_P256', 'ECC_NIST_P384', ...mlDsaSpecs] as const) {
      arns.set(spec, await createKey({ KeySpec: spec }));
    }
  });

  it.each(digestAlgorithms)('%s signs with %s, RAW and DIGEST alike', async (...row) => {
    const [spec, algorithm, digest, options] = row;
    const arn = arns.get(spec) ?? '';
    const key = { key: await readPublicKey(arn), ...options };
    const message = randomBytes(1000);
    const hashed = createHash(digest).update(message).digest();

    const raw = await sign(arn, algorithm, 'RAW', message);
    const digested = await sign(arn, algorithm, 'DIGEST', hashed);

    expect(verify(digest, message, key, raw)).toBe(true);
    expect(verify(digest, message, key, digested)).toBe(true);
    expect(verify(digest, hashed, key, digested)).toBe(false);
    expect(verify(digest, Buffer.concat([message, Buffer.of(0)]), key, digested)).toBe(false);
  });

  it.each(mlDsaSpecs)('%s signs the message itself', async (spec) => {
    const arn = arns.get(spec) ?? '';
    const message = randomBytes(4096);
    const signature = await sign(arn, 'ML_DSA_SHAKE_256', 'RAW', message);
    expect(verify(null, message, await readPublicKey(arn), signature)).toBe(true);
    expect(verify(null, randomBytes(10), await readPublicKey(arn), signature)).toBe(false);
  });

  it.each([
    ['ECC_NIST_P256', 'ECDSA_SHA_256', 'sha256'],
    ['ECC_NIST_P384', 'ECDSA_SHA_384', 'sha384'],
  ] as const)('%s gives valid DER for all lengths of R and S', async (...row) => {
    const [spec, algorithm, digest] = row;
    const arn = arns.get(spec) ?? '';
    const key = { key: await readPublicKey(arn), dsaEncoding: 'der' as const };
    const lengths = new Set<number>();
    for (let index = 0; index < 200; index += 1) {
      const message = randomBytes(16);
      const hashed = createHash(digest).update(message).digest();
      const signature = await sign(arn, algorithm, 'DIGEST', hashed);
      lengths.add(signature.length);
      expect(verify(digest, message, key, signature)).toBe(true);
    }
    expect(lengths.size).toBeGreaterThan(1);
  });

  it.each([
    [
      '4097 bytes',
      'ECC_NIST_P256',
      'ECDSA_SHA_256',
      'RAW',
      Buffer.alloc(4097),
      'ValidationException',
    ],
    ['no bytes', 'ECC_NIST_P256', 'ECDSA_SHA_256', 'RAW', Buffer.alloc(0), 'ValidationException'],
    [
      'a short digest',
      'ECC_NIST_P256',
      'ECDSA_SHA_256',
      'DIGEST',
      Buffer.alloc(31),
      'ValidationException',
    ],
    [
      'a long digest',
      'RSA_2048',
      'RSASSA_PSS_SHA_256',
      'DIGEST',
      Buffer.alloc(48),
      'ValidationException',
    ],
    [
      'a digest for ML-DSA',
      'ML_DSA_44',
      'ML_DSA_SHAKE_256',
      'DIGEST',
      Buffer.alloc(64),
      'ValidationException',
    ],
    [
      "another curve's algorithm",
      'ECC_NIST_P256',
      'ECDSA_SHA_384',
      'RAW',
      Buffer.alloc(1),
      'InvalidKeyUsageException',
    ],
    [
      'an RSA algorithm',
      'ML_DSA_65',
      'RSASSA_PSS_SHA_256',
      'RAW',
      Buffer.alloc(1),
      'InvalidKeyUsageException',
    ],
    ['an unknown algorithm', 'RSA_2048', 'HS256', 'RAW', Buffer.alloc(1), 'ValidationException'],
  ] as const)('refuses %s', async (_, spec, algorithm, type, message, error) => {
    const arn = arns.get(spec) ?? '';
    await expect(sign(arn, algorithm as SigningAlgorithmSpec, type, message)).rejects.toMatchObject(
      { name: error, $metadata: { httpStatusCode: 400 } },
    );
  });
});

describe('the states of a key', () => {
  it('does not sign while disabled, and signs again when enabled', async () => {
    const KeyId = await createKey();
    await kms.send(new DisableKeyCommand({ KeyId }));
    const signing = () => sign(KeyId, 'ECDSA_SHA_256', 'RAW', Buffer.from('x'));
    await expect(signing()).rejects.toMatchObject({ name: 'DisabledException' });
    await expect(readPublicKey(KeyId)).rejects.toMatchObject({ name: 'DisabledException' });
    await kms.send(new EnableKeyCommand({ KeyId }));
    expect(await signing()).not.toHaveLength(0);
  });

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
      () => sign(KeyId, 'ECDSA_SHA_256', 'RAW', Buffer.from('x')),
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

describe('a key that is not there', () => {
  it.each([
    'b9a4c1b4-0000-4000-8000-000000000000',
    'arn:aws:kms:us-west-2:000000000000:key/b9a4c1b4-0000-4000-8000-000000000000',
    'arn:aws:kms:us-east-1:000000000000:key/b9a4c1b4-0000-4000-8000-000000000000',
    'alias/signing',
    '../../etc/passwd',
  ])('%s is a NotFoundException', async (KeyId) => {
    await expect(kms.send(new DescribeKeyCommand({ KeyId }))).rejects.toMatchObject({
      name: 'NotFoundException',
      $metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  it('is not found from another Region', async () => {
    const arn = await createKey();
    const east = createClient(server.endpoint, 'us-east-1');
    onTestFinished(() => east.destroy());
    const KeyId = arn.split('/')[1];
    await expect(east.send(new DescribeKeyCommand({ KeyId }))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });
});

describe('the protocol', () => {
  async function post(target: string, body: string) {
    const { endpoint } = server;
    const caller = createAwsCaller({ service: 'kms', endpoint, accessKey: testAccessKey });
    onTestFinished(() => caller.close());
    return caller.call({ region: 'us-west-2', target, body: Buffer.from(body) });
  }

  it.each([
    ['an operation it does not know', 'TrentService.Decrypt', '{}', 'UnknownOperationException'],
    ['another service', 'DynamoDB_20120810.GetItem', '{}', 'UnknownOperationException'],
    ['a body that is not JSON', 'TrentService.ListKeys', '{', 'SerializationException'],
    ['a body that is no object', 'TrentService.ListKeys', '3', 'SerializationException'],
    ['a wrong type', 'TrentService.DescribeKey', '{"KeyId":3}', 'SerializationException'],
  ])('answers %s in the JSON of KMS', async (_, target, body, type) => {
    const response = await post(target, body);
    expect(response.status).toBe(400);
    expect(response.headers['content-type']).toBe('application/x-amz-json-1.1');
    expect(response.headers['x-amzn-requestid']).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(response.body.toString())).toEqual({
      __type: type,
      message: expect.any(String),
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
    expect(described.KeyMetadata).toEqual({
      ...KeyMetadata,
      Enabled: false,
      KeyState: 'Disabled',
    });
    await after.send(new EnableKeyCommand({ KeyId }));
    const publicAfter = await after.send(new GetPublicKeyCommand({ KeyId }));
    expect(publicAfter.PublicKey).toEqual(publicBefore.PublicKey);
  });
});
