import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DisableKeyCommand, EnableKeyCommand } from '@aws-sdk/client-kms';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/client-store.ts';
import { createDynamoDbSigningKeyStore } from '../../../adapters/dynamodb/signing-key-store.ts';
import { createKmsClient } from '../../../adapters/kms/kms-client.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import { createLeanClients, toVariables } from '../../../adapters/lean-clients.ts';
import { selfTestEvent } from '../../../contract/function-events.ts';
import { healthPath, jwksPath } from '../../../contract/routes.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { createJwksHandler } from '../../../lambda/jwks/create-jwks-handler.ts';
import { createTelemetry } from '../../../lambda/shared/telemetry.ts';
import { createTokenHandler } from '../../../lambda/token/create-token-handler.ts';
import { type RunningKms, startKms } from '../../../local/kms/kms-server.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../support/clients.ts';
import { lambdaContext, proxyEvent } from '../../support/proxy-event.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { basic, tokenEnvironment, tokenRequest } from '../../support/token-world.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';
import { startTables, type TestTables } from '../adapters/dynamodb-tables.ts';
import { type Answer, failure, startStub } from '../adapters/stub-server.ts';

// The token function as it is deployed, but for where AWS is.

const now = Math.floor(Date.now() / 1000);
const secret = secretValueOf(7);

let kms: RunningKms;
let tables: TestTables;
let current: SigningKey;
let next: SigningKey;

function environment() {
  return {
    ...tokenEnvironment,
    AUTH_CLIENTS_TABLE: tables.nameOf('clients'),
    AUTH_SIGNING_KEYS_TABLE: tables.nameOf('signingKeys'),
    AUTH_KEY_LIST_REFRESH: 0,
  };
}

function optionsAt(endpoints: { readonly dynamodb?: string; readonly kms?: string } = {}) {
  return {
    ...testAwsOptions(''),
    endpointDynamoDb: endpoints.dynamodb ?? tables.endpoint,
    endpointKms: endpoints.kms ?? kms.endpoint,
  };
}

function awsAt(endpoints: Parameters<typeof optionsAt>[0] = {}) {
  return createLeanClients(toVariables(optionsAt(endpoints)));
}

function tokenFunction(endpoints: Parameters<typeof awsAt>[0] = {}) {
  const { telemetry, reports } = recordTelemetry();
  const handler = createTokenHandler(environment(), awsAt(endpoints), { telemetry });
  return {
    reports,
    issue: (authorization = basic(clientIdOf(1), secret)) =>
      handler(
        proxyEvent(tokenRequest({ headers: { Authorization: authorization } })),
        lambdaContext(),
      ),
    health: () => handler(proxyEvent({ path: healthPath }), lambdaContext()),
    selfTest: () => handler(selfTestEvent, lambdaContext()),
  };
}

async function addSigningKey(state: 'current' | 'next', publishedAt: number): Promise<SigningKey> {
  const keys = createKmsKeys(createKmsClient(optionsAt()), {
    deploymentName: 'test',
    keyPolicy: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: 'arn:aws:iam::000000000000:root' },
          Action: 'kms:*',
          Resource: '*',
        },
      ],
    },
  });
  const kmsKeyArn = await keys.createKey({ intentId: state, alg: 'ES256', description: state });
  const publicJwk = publicJwkFromSpki(await keys.getPublicKey(kmsKeyArn), 'ES256');
  const key: SigningKey = {
    kid: publicJwk.kid,
    regionId: 'slc',
    alg: 'ES256',
    kmsKeyArn,
    publicJwk,
    state,
    publishedAt,
    ...(state === 'current' && { activatedAt: publishedAt }),
    version: 1,
  };
  const store = createDynamoDbSigningKeyStore(tables.dynamodb, tables.nameOf('signingKeys'));
  await store.createSigningKey(key);
  return key;
}

beforeAll(async () => {
  [kms, tables] = await Promise.all([startKms({ accessKey: testAccessKey }), startTables()]);
  current = await addSigningKey('current', now - 10_000);
  next = await addSigningKey('next', now - 5000);
  const store = createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'));
  await store.createClient(makeClient({ secrets: [makeSecret(secret)] }));
});
afterAll(() => Promise.all([kms.close(), tables.close()]));
describe('the token function on real backends', () => {
  it('issues a token that the JWKS function verifies', async () => {
    const { issue } = tokenFunction();
    const response = await issue();
    expect(response.statusCode).toBe(200);
    const { access_token } = JSON.parse(response.body) as { access_token: string };
    const { telemetry } = recordTelemetry();
    const jwks = createJwksHandler(
      {
        AUTH_SIGNING_KEYS_TABLE: tables.nameOf('signingKeys'),
        AUTH_KEY_LIST_REFRESH: 60,
        AUTH_JWKS_MAX_AGE: 300,
      },
      awsAt(),
      { telemetry },
    );
    const { body } = await jwks(proxyEvent({ path: jwksPath }), lambdaContext());
    const keys = createLocalJWKSet(JSON.parse(body) as JSONWebKeySet);
    const { payload } = await jwtVerify(access_token, keys, { typ: 'at+jwt' });
    expect(payload.sub).toBe(clientIdOf(1));
  });

  it('notes once a day that the secret was used', async () => {
    const { issue, reports } = tokenFunction();
    await expect
      .poll(async () => {
        await issue();
        return reports.at(-1)?.fields['secret_use'];
      })
      .toBe('not_due');
  });

  it('fails one client alone where its item is malformed', async () => {
    const { issue, reports } = tokenFunction();
    await tables.dynamodb.send(
      new PutItemCommand({
        TableName: tables.nameOf('clients'),
        Item: { client_id: { S: clientIdOf(2) }, enabled: { S: 'yes' } },
      }),
    );
    expect((await issue(basic(clientIdOf(2), secret))).statusCode).toBe(500);
    expect(reports.at(-1)?.fields['error_name']).toBe('MalformedRecordError');
    expect((await issue()).statusCode).toBe(200);
  });

  it('signs with the next key while KMS refuses the current one', async () => {
    const { issue, selfTest } = tokenFunction();
    const client = createKmsClient(optionsAt());
    await client.send(new DisableKeyCommand({ KeyId: current.kmsKeyArn }));
    try {
      const { body } = await issue();
      const { access_token } = JSON.parse(body) as { access_token: string };
      expect(decodeProtectedHeader(access_token).kid).toBe(next.kid);
      await client.send(new DisableKeyCommand({ KeyId: next.kmsKeyArn }));
      expect((await issue()).statusCode).toBe(503);
      expect(await selfTest()).toEqual({
        ok: false,
        reason: expect.stringContaining('no published key of this region can sign'),
      });
    } finally {
      for (const { kmsKeyArn: KeyId } of [current, next]) {
        await client.send(new EnableKeyCommand({ KeyId }));
      }
    }
    expect(await selfTest()).toEqual({ ok: true });
  });
});

const services = ['dynamodb', 'kms'] as const;

const outages = services.flatMap((service) =>
  [
    ['throttles', failure(400, 'ThrottlingException')],
    ['fails', failure(500, 'InternalServerError')],
    ['closes the connection', 'reset'],
    ['never answers', 'silence'],
    ['stops within the answer', 'half'],
  ].map(([manner, answer]) => [service, manner as string, answer as Answer] as const),
);

describe('a token', () => {
  // Together, since some of them wait for the deadline.
  it.concurrent.each(outages)(
    'while %s %s: 503 within the deadline',
    async (service, _manner, answer) => {
      const stub = await startStub(() => answer);
      try {
        const { issue, reports } = tokenFunction({ [service]: stub.endpoint });
        const startedAt = performance.now();
        const response = await issue();
        expect(performance.now() - startedAt).toBeLessThan(10_000);
        expect(response).toMatchObject({
          statusCode: 503,
          headers: { 'Retry-After': '5', 'Cache-Control': 'no-store' },
          body: '{"error":"temporarily_unavailable","error_description":"the service is unavailable, try again later"}',
        });
        expect(reports).toMatchObject([{ level: 'warn', outcome: 'temporarily_unavailable' }]);
      } finally {
        await stub.close();
      }
    },
  );

  it.each(services)('while %s is not there at all: /health is 503', async (service) => {
    const stub = await startStub(() => 'reset');
    await stub.close();
    const { health } = tokenFunction({ [service]: stub.endpoint });
    expect((await health()).statusCode).toBe(503);
  });
});

describe('the log', () => {
  const canary = 'CANARY-9c41';

  it.each(services)('has no credential while %s fails', async (service) => {
    const stub = await startStub(() => failure(400, 'ThrottlingException'));
    const output = await captureOutput(async () => {
      const telemetry = createTelemetry('token', {});
      const handler = createTokenHandler(environment(), awsAt({ [service]: stub.endpoint }), {
        telemetry,
      });
      for (const authorization of [
        basic(clientIdOf(1), secret),
        basic(`cs_${canary}`, clientIdOf(1)),
        basic(`client_${canary}`, `cs_${canary}`),
      ]) {
        const request = tokenRequest({ headers: { Authorization: authorization } });
        await handler(proxyEvent(request), lambdaContext());
      }
    });
    await stub.close();
    const lines = output.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines.filter((line) => line.includes(canary) || line.includes(secret))).toEqual([]);
  });
});
