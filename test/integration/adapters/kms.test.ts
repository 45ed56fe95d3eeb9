import { type KMSClient } from '@aws-sdk/client-kms';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { createKmsClient } from '../../../adapters/kms/kms-client.ts';
import { createKmsKeys, inspectKey } from '../../../adapters/kms/kms-keys.ts';
import { createJsonKmsSign, createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import { kmsKeyTags } from '../../../contract/kms-key.ts';
import { algs, signingAlgorithms } from '../../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import { verifyWithJwk } from '../../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { exampleSigningKey } from '../../../lab/support/signing-keys.ts';
import { keyPolicy } from '../../support/key-policy.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { testAwsEnvironment, testAwsOptions } from './dynalite.ts';
import { failure, type StubServer, startStub } from './stub-server.ts';

const settings = { deploymentName: 'test', keyPolicy };
const missingArn = 'arn:aws:kms:us-west-2:000000000000:key/00000000-0000-0000-0000-000000000000';
const input = Buffer.from('header.payload');

let server: RunningService;
let kms: KMSClient;
let stub: StubServer | undefined;

beforeAll(async () => {
  server = await startKms({ accessKey: testAccessKey });
  kms = createKmsClient(testAwsOptions(server.endpoint));
});
afterAll(() => server.close());
afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

function jsonClient(endpoint: string) {
  return createAwsJsonClient({
    service: 'kms',
    environment: testAwsEnvironment(endpoint),
    profile: callProfiles.request,
    maxSockets: 10,
  });
}

async function createSigningKey(alg: SigningKey['alg']): Promise<SigningKey> {
  const keys = createKmsKeys(kms, settings);
  const request = { intentId: `for ${alg}`, alg, description: `signs ${alg}` };
  const kmsKeyArn = await keys.createKey(request);
  const publicJwk = publicJwkFromSpki(await keys.getPublicKey(kmsKeyArn), alg);
  return { ...exampleSigningKey(alg), kid: publicJwk.kid, kmsKeyArn, publicJwk };
}

describe('a key made in KMS', () => {
  it.each(algs)('signs as JWS wants it: %s', async (alg) => {
    const key = await createSigningKey(alg);
    for (const sign of [createKmsSign(kms), createJsonKmsSign(jsonClient(server.endpoint))]) {
      const signature = await sign(key, input);
      expect(verifyWithJwk(key.publicJwk, input, signature)).toBe(true);
      expect(verifyWithJwk(key.publicJwk, Buffer.from('other'), signature)).toBe(false);
    }
  });

  it('goes through its life, each step twice', async () => {
    const keys = createKmsKeys(kms, settings);
    const sign = createKmsSign(kms);
    const key = await createSigningKey('ES256');
    const arn = key.kmsKeyArn;
    expect(await keys.describeKey(arn)).toMatchObject({
      kmsKeyArn: arn,
      state: 'enabled',
      kmsKeySpec: 'ECC_NIST_P256',
      deletionAt: undefined,
    });

    for (let time = 1; time <= 2; time += 1) await keys.disableKey(arn);
    expect(await keys.describeKey(arn)).toMatchObject({ state: 'disabled' });
    await expect(sign(key, input)).rejects.toThrow(SigningKeyUnusableError);

    for (let time = 1; time <= 2; time += 1) await keys.scheduleKeyDeletion(arn);
    const description = await keys.describeKey(arn);
    expect(description?.state).toBe('pending_deletion');
    const days = ((description?.deletionAt ?? 0) - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(29);
    expect(days).toBeLessThan(31);
    await expect(sign(key, input)).rejects.toThrow(SigningKeyUnusableError);
    await expect(keys.disableKey(arn)).rejects.toThrow(SigningKeyUnusableError);
  });

  it('is found by its tags, others are not', async () => {
    const here = createKmsKeys(kms, { ...settings, deploymentName: 'here' });
    const elsewhere = createKmsKeys(kms, { ...settings, deploymentName: 'elsewhere' });
    const request = (intentId: string) =>
      ({ intentId, alg: 'ES256', description: 'signing key' }) as const;
    const first = await here.createKey(request('one'));
    const second = await here.createKey(request('two'));
    await elsewhere.createKey(request('three'));
    await here.scheduleKeyDeletion(second);
    const found = await here.listKeys();
    expect(found.toSorted((a, b) => (a.intentId < b.intentId ? -1 : 1))).toEqual([
      { kmsKeyArn: first, intentId: 'one' },
      { kmsKeyArn: second, intentId: 'two' },
    ]);
  });

  it('does not exist', async () => {
    const keys = createKmsKeys(kms, settings);
    expect(await keys.describeKey(missingArn)).toBeUndefined();
    await expect(keys.getPublicKey(missingArn)).rejects.toThrow(SigningKeyUnusableError);
    await expect(keys.disableKey(missingArn)).rejects.toThrow(SigningKeyUnusableError);
    await keys.scheduleKeyDeletion(missingArn);
    const key = exampleSigningKey('RS256', { kmsKeyArn: missingArn });
    await expect(createKmsSign(kms)(key, input)).rejects.toThrow(SigningKeyUnusableError);
  });
});

describe('a key of another AWS region', () => {
  it('is not there, and KMS is not asked for what the role may not ask', async () => {
    stub = await startStub(() => failure(400, 'AccessDeniedException'));
    const keys = createKmsKeys(createKmsClient(testAwsOptions(stub.endpoint)), settings);
    const elsewhere = missingArn.replace('us-west-2', 'eu-west-3');
    expect(await keys.describeKey(elsewhere)).toBeUndefined();
    await keys.scheduleKeyDeletion(elsewhere);
    await expect(keys.disableKey(elsewhere)).rejects.toThrow(SigningKeyUnusableError);
    await expect(keys.describeKey(missingArn)).rejects.toThrow('told to');
  });
});

describe('what is sent to KMS', () => {
  async function recording(answer: object) {
    stub = await startStub(() => ({ status: 200, body: answer }));
    return createKmsClient(testAwsOptions(stub.endpoint));
  }

  it.each(algs)('names the key by its ARN and the algorithm exactly: %s', async (alg) => {
    const key = exampleSigningKey(alg);
    await createKmsSign(await recording({}))(key, input).catch(() => undefined);
    const { kmsMessageType, kmsSigningAlgorithm } = signingAlgorithms[alg];
    const sent = stub?.calls[0];
    expect(sent?.operation).toBe('Sign');
    expect(sent?.input).toEqual({
      KeyId: key.kmsKeyArn,
      Message: expect.any(String),
      MessageType: kmsMessageType,
      SigningAlgorithm: kmsSigningAlgorithm,
    });
    const message = Buffer.from(String(sent?.input.Message), 'base64');
    const lengths: Readonly<Record<string, number>> = { sha256: 32, sha384: 48 };
    const { digest } = signingAlgorithms[alg];
    expect(message).toHaveLength(digest === undefined ? input.length : (lengths[digest] ?? 0));
  });

  it('makes a key that only the deployment may use, and no one is locked out of', async () => {
    const metadata = { Arn: missingArn, KeyId: 'x', KeySpec: 'RSA_2048', CreationDate: 1 };
    const keys = createKmsKeys(await recording({ KeyMetadata: metadata }), {
      ...settings,
      keyTags: { 'cost-centre': 'platform' },
    });
    await keys.createKey({ intentId: 'intent-1', alg: 'RS256', description: 'signs tokens' });
    const { Policy, ...sent } = stub?.calls[0]?.input ?? {};
    expect(sent).toEqual({
      KeySpec: 'RSA_2048',
      KeyUsage: 'SIGN_VERIFY',
      Description: 'signs tokens',
      BypassPolicyLockoutSafetyCheck: true,
      MultiRegion: false,
      Tags: [
        { TagKey: 'authorization-server:deployment', TagValue: 'test' },
        { TagKey: 'authorization-server:intent', TagValue: 'intent-1' },
        { TagKey: 'cost-centre', TagValue: 'platform' },
      ],
    });
    expect(JSON.parse(String(Policy))).toEqual(keyPolicy);
  });

  it.each([
    [{ Grants: [{ GrantId: 'one' }], Truncated: false }, 1],
    // A page that is cut may hide some.
    [{ Grants: [], Truncated: true, NextMarker: 'more' }, Number.POSITIVE_INFINITY],
  ])(
    'looks at every fact of a key that decides who can sign with it, as %j',
    async (page, grants) => {
      const answers: Readonly<Record<string, object>> = {
        DescribeKey: {
          KeyMetadata: {
            Arn: missingArn,
            KeyId: 'x',
            KeyState: 'Enabled',
            KeySpec: 'RSA_2048',
            KeyUsage: 'SIGN_VERIFY',
            Origin: 'EXTERNAL',
            KeyManager: 'CUSTOMER',
            MultiRegion: true,
          },
        },
        GetKeyPolicy: { Policy: '{}' },
        ListGrants: page,
        GetPublicKey: { KeyId: missingArn, PublicKey: 'AAAA' },
        ListResourceTags: { Tags: [{ TagKey: kmsKeyTags.deployment, TagValue: 'test' }] },
      };
      stub = await startStub(({ operation }) => ({ status: 200, body: answers[operation] ?? {} }));
      expect(await inspectKey(createKmsClient(testAwsOptions(stub.endpoint)), missingArn)).toEqual({
        state: 'enabled',
        kmsKeySpec: 'RSA_2048',
        keyUsage: 'SIGN_VERIFY',
        origin: 'EXTERNAL',
        keyManager: 'CUSTOMER',
        isMultiRegion: true,
        tags: new Map([[kmsKeyTags.deployment, 'test']]),
        policy: '{}',
        grants,
        spki: new Uint8Array(3),
      });
    },
  );

  it.each(['DescribeKey', 'GetKeyPolicy', 'ListGrants', 'GetPublicKey', 'ListResourceTags'])(
    'waits for the permission for %s',
    async (denied) => {
      const keys = createKmsKeys(kms, settings);
      const arn = await keys.createKey({ intentId: 'x', alg: 'ES256', description: '-' });
      const spki = Buffer.from(await keys.getPublicKey(arn)).toString('base64');
      stub = await startStub(({ operation }) => {
        if (operation === denied) return failure(400, 'AccessDeniedException');
        const KeyMetadata = { Arn: arn, KeyId: 'x', KeyState: 'Enabled', KeySpec: 'ECC_NIST_P256' };
        const Tags = [{ TagKey: kmsKeyTags.deployment, TagValue: 'test' }];
        return { status: 200, body: { KeyMetadata, Tags, KeyId: arn, PublicKey: spki } };
      });
      const inspecting = inspectKey(createKmsClient(testAwsOptions(stub.endpoint)), arn);
      await expect(inspecting).rejects.toThrow(SigningKeyUnusableError);
    },
  );
});

describe.each([
  ['the SDK', (endpoint: string) => createKmsSign(createKmsClient(testAwsOptions(endpoint)))],
  ['the AWS JSON client', (endpoint: string) => createJsonKmsSign(jsonClient(endpoint))],
])('what KMS answers to Sign of %s', (_name, openSign) => {
  const key = exampleSigningKey('RS256');
  async function signAgainst(answer: Parameters<typeof startStub>[0]) {
    stub = await startStub(answer);
    return openSign(stub.endpoint)(key, input);
  }

  it.each([
    'DisabledException',
    'NotFoundException',
    'KMSInvalidStateException',
    'InvalidKeyUsageException',
    'AccessDeniedException',
  ])('%s: another key may sign', async (name) => {
    await expect(signAgainst(() => failure(400, name))).rejects.toThrow(SigningKeyUnusableError);
    expect(stub?.calls).toHaveLength(1);
  });

  it.each([
    [400, 'ThrottlingException'],
    [500, 'KMSInternalException'],
    [500, 'KeyUnavailableException'],
    [503, 'DependencyTimeoutException'],
  ])('%d %s: try again later', async (status, name) => {
    await expect(signAgainst(() => failure(status, name))).rejects.toThrow(UnavailableError);
  });

  const Signature = Buffer.from('signature').toString('base64');
  const wrong: readonly [string, object][] = [
    ['of another key', { KeyId: missingArn, Signature }],
    ['of no key', { Signature }],
    ['that is missing', { KeyId: key.kmsKeyArn }],
  ];
  it.each(wrong)('refuses a signature %s', async (_, body) => {
    await expect(signAgainst(() => ({ status: 200, body }))).rejects.toMatchObject({
      name: 'KmsResponseError',
    });
  });

  it('refuses an ECDSA signature that is no DER', async () => {
    stub = await startStub(() => ({
      status: 200,
      body: { KeyId: key.kmsKeyArn, Signature, SigningAlgorithm: 'ECDSA_SHA_256' },
    }));
    const sign = openSign(stub.endpoint);
    await expect(sign({ ...key, alg: 'ES256' }, input)).rejects.toMatchObject({
      name: 'EcdsaSignatureError',
    });
  });
});

describe('the keys of the account', () => {
  const arn = (index: number) => `arn:aws:kms:us-west-2:000000000000:key/${index}`;
  const ownTags = (intentId: string) => ({
    status: 200,
    body: {
      Tags: [
        { TagKey: 'authorization-server:deployment', TagValue: 'test' },
        { TagKey: 'authorization-server:intent', TagValue: intentId },
      ],
    },
  });

  it('are read page by page, and those that may not be looked at are passed over', async () => {
    stub = await startStub(({ operation, input }) => {
      if (operation === 'ListKeys') {
        const first = input.Marker === undefined;
        const Keys = (first ? [1, 2] : [3, 4]).map((index) => ({ KeyArn: arn(index) }));
        return { status: 200, body: { Keys, Truncated: first, ...(first && { NextMarker: 'm' }) } };
      }
      if (input.KeyId === arn(2)) return failure(400, 'AccessDeniedException');
      if (input.KeyId === arn(3)) return failure(400, 'NotFoundException');
      return ownTags(String(input.KeyId).slice(-1));
    });
    const keys = createKmsKeys(createKmsClient(testAwsOptions(stub.endpoint)), settings);
    expect(await keys.listKeys()).toEqual([
      { kmsKeyArn: arn(1), intentId: '1' },
      { kmsKeyArn: arn(4), intentId: '4' },
    ]);
  });

  it('are not guessed at when KMS does not answer', async () => {
    stub = await startStub(({ operation }) =>
      operation === 'ListKeys'
        ? { status: 200, body: { Keys: [{ KeyArn: arn(1) }], Truncated: false } }
        : failure(500, 'KMSInternalException'),
    );
    const keys = createKmsKeys(createKmsClient(testAwsOptions(stub.endpoint)), settings);
    await expect(keys.listKeys()).rejects.toThrow(UnavailableError);
  });
});
