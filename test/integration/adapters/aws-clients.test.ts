import { afterAll, describe, expect, it } from 'vitest';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { type CallProfile, callProfiles } from '../../../adapters/call-profile.ts';
import { createJsonCalls } from '../../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import { createJsonKmsSign, createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { stepLimit } from '../../../lab/support/hang-limit.ts';
import { exampleSigningKey } from '../../../lab/support/signing-keys.ts';
import { testAwsEnvironment, testAwsOptions } from './dynalite.ts';
import { type Answer, failure, type StubServer, startStub } from './stub-server.ts';

const stubs: StubServer[] = [];
afterAll(() => Promise.all(stubs.map((stub) => stub.close())));

const key = exampleSigningKey('RS256');
const found: Answer = { status: 200, body: {} };
const signed: Answer = {
  status: 200,
  body: { KeyId: key.kmsKeyArn, Signature: Buffer.from('signature').toString('base64') },
};

function openSdkClients(endpoint: string, profile?: CallProfile) {
  const { dynamodb, kms } = createAwsClients({ ...testAwsOptions(endpoint), profile });
  return { store: createDynamoDbClientReader(dynamodb, 'clients'), sign: createKmsSign(kms) };
}

function openAwsJsonClients(endpoint: string, profile?: CallProfile) {
  const options = {
    environment: testAwsEnvironment(endpoint),
    profile: profile ?? callProfiles.request,
    maxSockets: 10,
  };
  const dynamodb = createAwsJsonClient({ service: 'dynamodb', ...options });
  const kms = createAwsJsonClient({ service: 'kms', ...options });
  return {
    store: createDynamoDbClientReader(createJsonCalls(dynamodb), 'clients'),
    sign: createJsonKmsSign(kms),
  };
}

describe.each([
  ['the SDK', openSdkClients],
  ['the AWS JSON client', openAwsJsonClients],
])('%s', (_name, open) => {
  async function against(decide: Parameters<typeof startStub>[0], profile?: CallProfile) {
    const stub = await startStub(decide);
    stubs.push(stub);
    const { store, sign } = open(stub.endpoint, profile);
    return {
      calls: stub.calls,
      close: () => stub.close(),
      read: (signal?: AbortSignal) => store.findClient('client_1', { signal }),
      sign: (signal?: AbortSignal) => sign(key, new Uint8Array(1), { signal }),
      note: () => store.recordUse('client_1', 'secret_1', '2026-11-20'),
    };
  }

  describe('calls to a service that throttles', () => {
    const throttles: readonly [string, Answer][] = [
      ['ThrottlingException', failure(400, 'ThrottlingException')],
      [
        'ProvisionedThroughputExceededException',
        failure(400, 'ProvisionedThroughputExceededException'),
      ],
      ['status 429', failure(429, 'Anything')],
      ['status 503', failure(503, 'ServiceUnavailable')],
    ];

    it.each(throttles)('stay within 1.2 times the requests: %s', async (_, answer) => {
      const { calls, read, sign } = await against(() => answer);
      for (let request = 0; request < 10; request += 1) {
        await expect(read()).rejects.toThrow(UnavailableError);
        await expect(sign()).rejects.toThrow(UnavailableError);
      }
      expect(calls.length).toBeGreaterThan(20);
      expect(calls.length).toBeLessThanOrEqual(24);
    });

    it('stay within 1.2 times the requests after a long time without trouble', async () => {
      let healthy = true;
      const { calls, read } = await against(() =>
        healthy ? found : failure(400, 'ThrottlingException'),
      );
      for (let request = 0; request < 100; request += 1) await read();
      healthy = false;
      for (let request = 0; request < 50; request += 1) {
        await expect(read()).rejects.toThrow(UnavailableError);
      }
      expect(calls.length - 100).toBeLessThanOrEqual(1.2 * 50);
    });
  });

  describe('what passes by itself is UnavailableError', () => {
    const twice: CallProfile = {
      connectionTimeout: stepLimit,
      requestTimeout: stepLimit,
      maxAttempts: 2,
      retryDelay: 10,
      initialRetries: 10,
      maxSavedRetries: 10,
    };
    /** For what only a timeout ends. A call that is answered takes a thousandth of it. */
    const impatient: CallProfile = { ...twice, requestTimeout: 2000 };
    const troubles: readonly [string, Answer, CallProfile][] = [
      ['status 500', failure(500, 'InternalServerError'), twice],
      ['a conflict of replicas', failure(400, 'ReplicatedWriteConflictException'), twice],
      ['a connection that is reset', 'reset', twice],
      ['silence', 'silence', impatient],
      ['an answer that stops halfway', 'half', impatient],
    ];

    // Together, since some of them wait for the timeout.
    it.concurrent.each(troubles)(
      'after as many attempts as are allowed: %s',
      async (_, answer, profile) => {
        const { calls, read, note } = await against(() => answer, profile);
        const both = await Promise.allSettled([read(), note()]);
        expect(both).toEqual([
          { status: 'rejected', reason: expect.any(UnavailableError) },
          { status: 'rejected', reason: expect.any(UnavailableError) },
        ]);
        const operations = calls.map(({ operation }) => operation).toSorted();
        expect(operations).toEqual(['GetItem', 'GetItem', 'UpdateItem', 'UpdateItem']);
      },
    );

    it.concurrent.each(troubles)(
      'unless the next attempt succeeds: %s',
      async (_, answer, profile) => {
        const { calls, read } = await against(
          (_, count) => (count === 1 ? answer : found),
          profile,
        );
        expect(await read()).toBeUndefined();
        expect(calls).toHaveLength(2);
      },
    );

    it('when no one listens', async () => {
      const { read, close } = await against(() => found, twice);
      await close();
      await expect(read()).rejects.toThrow(UnavailableError);
    });
  });

  describe("the caller's deadline", () => {
    it('ends a call that gets no answer', async () => {
      // It passes when the service has the call. Nothing else ends the call before the test ends.
      let deadline = new AbortController();
      const { calls, read, sign } = await against(() => {
        deadline.abort();
        return 'silence';
      });
      await expect(read(deadline.signal)).rejects.toThrow(UnavailableError);
      deadline = new AbortController();
      await expect(sign(deadline.signal)).rejects.toThrow(UnavailableError);
      expect(calls).toHaveLength(2);
    });

    it('ends a call between two attempts', async () => {
      const patient: CallProfile = {
        connectionTimeout: stepLimit,
        requestTimeout: stepLimit,
        maxAttempts: 9,
        retryDelay: 2 * stepLimit,
        initialRetries: 9,
        maxSavedRetries: 9,
      };
      const { read } = await against(() => failure(500, 'InternalServerError'), patient);
      await expect(read(AbortSignal.timeout(300))).rejects.toThrow(UnavailableError);
    });

    it('sends nothing when it has passed', async () => {
      const { calls, sign } = await against(() => signed);
      await expect(sign(AbortSignal.abort())).rejects.toThrow(UnavailableError);
      expect(calls).toHaveLength(0);
    });
  });
});

describe('CreateKey', () => {
  const request = { intentId: 'intent-1', alg: 'RS256', description: 'signing key' } as const;
  const troubles: readonly Answer[] = [
    failure(500, 'KMSInternalException'),
    failure(400, 'ThrottlingException'),
    'reset',
  ];

  async function against(decide: Parameters<typeof startStub>[0]) {
    const stub = await startStub(decide);
    stubs.push(stub);
    const { kms } = createAwsClients(testAwsOptions(stub.endpoint));
    const keys = createKmsKeys(kms, { deploymentName: 'test', keyPolicy: {} });
    return { calls: stub.calls, keys };
  }

  it.each(troubles)('is never sent twice: %o', async (answer) => {
    const { calls, keys } = await against(() => answer);
    await expect(keys.createKey(request)).rejects.toThrow(UnavailableError);
    expect(calls.map(({ operation }) => operation)).toEqual(['CreateKey']);
  });

  it('gives an error that does not pass as it is', async () => {
    const { calls, keys } = await against(() => failure(400, 'MalformedPolicyDocumentException'));
    await expect(keys.createKey(request)).rejects.toMatchObject({
      name: 'MalformedPolicyDocumentException',
    });
    expect(calls).toHaveLength(1);
  });
});
