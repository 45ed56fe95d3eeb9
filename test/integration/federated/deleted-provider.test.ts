import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as Bounds from '../../../contract/bounds.ts';
import { providerHold } from '../../../contract/bounds.ts';
import { tableName } from '../../../contract/tables.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

// A provider is held as in production.
vi.mock('../../../contract/bounds.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof Bounds>()),
  requestDeadline: 60_000,
  providerFetchTimeout: 60_000,
  trustedFetchTimeout: 60_000,
}));

const { json, service } = useLocalCli({
  federatedClients: { audience: 'urn:example:agents' },
  checkRevocation: 'refuse',
});

let provider: LoopbackProvider;

beforeAll(async () => {
  provider = await startLoopbackProvider();
  await json(['provider', 'register', provider.discoveryUrl, '--client-id-claim', 'sub']);
  const client = 'client create --name Dialer --trunk-group tg-7 --scope messaging:view'.split(' ');
  await json([...client, '--provider', provider.issuer, '--external-client-id', 'dialer']);
});

afterAll(() => provider.close());

function sign(aud: string): Promise<string> {
  return new SignJWT({ sub: 'dialer', aud, jti: crypto.randomUUID(), scope: 'messaging:view' })
    .setProtectedHeader({ alg: 'ES256', kid: provider.key.kid })
    .setIssuer(provider.issuer)
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(provider.key.privateKey);
}

async function exchange() {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: await sign(service().issuer),
  });
  const response = await fetch(service().tokenUrl, { method: 'POST', body });
  const { access_token: token } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, token: String(token) };
}

async function call(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(service().exampleUrl, { headers })).status;
}

/** What the first page of a deletion writes. */
async function stopProvider(): Promise<void> {
  const { aws, environment } = service();
  const dynamodb = new DynamoDBClient({
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    region: environment.AWS_REGION ?? '',
    credentials: aws.credentials,
  });
  const stop = { M: { at: { N: '1' }, by: { S: 'arn:aws:iam::111122223333:role/ops' } } };
  await dynamodb.send(
    new UpdateItemCommand({
      TableName: tableName('local', 'identityProviders'),
      Key: { issuer: { S: provider.issuer } },
      UpdateExpression: 'SET stops = :stops',
      ExpressionAttributeValues: { ':stops': { M: { deletion: stop } } },
    }),
  );
}

it('a provider that is being deleted is refused within the seconds of its hold, and what its assertions got with its clients', async () => {
  const { status, token } = await exchange();
  const foreign = async () => call(await sign('https://api.example.com'));
  expect([status, await foreign(), await call(token)]).toEqual([200, 200, 200]);
  await stopProvider();
  const stopped = performance.now();
  const asserted = async () => (await exchange()).status;
  const lastAccepted = await Promise.all(
    [asserted, foreign].map(async (attempt) => {
      let began = stopped;
      await vi.waitUntil(
        async () => {
          const start = performance.now();
          const isAccepted = (await attempt()) === 200;
          if (isAccepted) began = start;
          return !isAccepted;
        },
        { timeout: hangLimit, interval: 50 },
      );
      return began - stopped;
    }),
  );
  expect(Math.max(...lastAccepted)).toBeLessThan(providerHold.seconds * 1000);
  // Its client is there until the deletion comes to it.
  expect(await call(token)).toBe(200);
  await json(['provider', 'delete', provider.issuer, '--cascade', '--yes']);
  expect([await call(token), (await exchange()).status]).toEqual([401, 400]);
});
