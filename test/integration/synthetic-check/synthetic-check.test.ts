import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import {
  createFetchServiceDocument,
  createPostTokenRequest,
} from '../../../adapters/https/service-requests.ts';
import { functionName } from '../../../contract/function-names.ts';
import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import { tableName } from '../../../contract/tables.ts';
import type { ClientStore } from '../../../core/client/client.ts';
import {
  formatClientSecret,
  formatId,
  hashSecret,
} from '../../../core/credential/credential-value.ts';
import type { LocalRun } from '../../../lab/local/start-local.ts';
import { basic } from '../../../lab/support/token-request.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import {
  createSyntheticCheckHandler,
  type SyntheticCheckHttp,
} from '../../../lambda/synthetic-check/function.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const clientId = syntheticClientId('slc');

function clientsOf(service: LocalRun): ClientStore {
  const dynamodb = createDynamoDbClient(service.aws);
  onTestFinished(() => dynamodb.destroy());
  return createDynamoDbClientStore(dynamodb, tableName('local', 'clients'), {
    consistentRead: true,
  });
}

function checkOf(
  service: LocalRun,
  different: { readonly tokenUrl?: string; readonly issuer?: string } = {},
  http: SyntheticCheckHttp = {
    postTokenRequest: createPostTokenRequest(),
    fetchDocument: createFetchServiceDocument(),
  },
) {
  const dynamodb = createDynamoDbClient(service.aws);
  onTestFinished(() => dynamodb.destroy());
  const reports: RunReport[] = [];
  const run = createSyntheticCheckHandler(
    {
      issuer: different.issuer ?? service.issuer,
      regionId: 'slc',
      clientsTable: tableName('local', 'clients'),
      tokenEndpoint: different.tokenUrl ?? service.tokenUrl,
      jwksUri: service.jwksUri,
      accessTokenType: 'at+jwt',
    },
    { dynamodb },
    http,
    { telemetry: { report: (report) => void reports.push(report) } },
  );
  return { run, reports };
}

/** As someone might who holds the check's role: with a secret and a record of their own making. */
async function requestWithOwnRecord(service: LocalRun, scope?: string): Promise<Response> {
  const clients = clientsOf(service);
  const value = formatClientSecret(new Uint8Array(32).fill(3));
  const secret = {
    secretId: formatId('secret', new Uint8Array(16).fill(3)),
    hash: hashSecret(value),
    createdAt: 1000,
  };
  const found = await clients.find(clientId);
  if (found === undefined) throw new Error('the check has not run');
  await clients.replace({
    ...found,
    scopes: ['messaging:manage'],
    audiences: ['https://api.example.com'],
    serviceTrunkGroup: 'stg-of-a-customer',
    tokenLifetime: 86_400,
    secrets: [secret],
    version: found.version + 1,
  });
  return fetch(service.tokenUrl, {
    method: 'POST',
    headers: { authorization: basic(clientId, value) },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
  });
}

describe.each([
  ['http', false],
  ['https', true],
])('the synthetic check of a service over %s', (_, https) => {
  const service = useLocalService({ https });

  it('gets a token and verifies it, and says so in its metrics', async () => {
    const { run, reports } = checkOf(service());
    expect(await run()).toEqual({ ok: true, token_latency_ms: expect.any(Number) });
    expect(reports).toEqual([
      expect.objectContaining({
        outcome: 'passed',
        fields: { token_latency_ms: expect.any(Number) },
        metrics: { SyntheticCheckPassed: 1 },
      }),
    ]);
  });
});

describe('the synthetic check', () => {
  const service = useLocalService();

  it('gives no one a useful token, even if they change its record', async () => {
    await checkOf(service()).run();
    expect((await requestWithOwnRecord(service(), 'messaging:manage')).status).toBe(400);
    const response = await requestWithOwnRecord(service());
    const token = (await response.json()) as { access_token: string };
    expect(token).toMatchObject({ scope: 'synthetic-check', expires_in: 60 });
    const payload = JSON.parse(
      Buffer.from(token.access_token.split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(payload).toMatchObject({
      aud: 'urn:authorization-server:synthetic-check',
      service_trunk_group: 'synthetic-check',
    });
    const used = await fetch(service().exampleUrl, {
      headers: { authorization: `Bearer ${token.access_token}` },
    });
    expect(used.status).toBe(401);
  });

  it.each([
    ['token', (run: LocalRun) => ({ tokenUrl: `${run.issuer}/health` }), 'answered 405'],
    ['token', () => ({ tokenUrl: 'http://localhost:1' }), 'does not answer'],
    ['token', () => ({ tokenUrl: 'http://auth.example.com/token' }), 'allowed: an https URL'],
    ['verification', () => ({ issuer: 'https://other.example.com' }), 'unexpected "iss"'],
  ] as const)('fails at the step "%s" and tells why', async (step, different, reason) => {
    const { run, reports } = checkOf(service(), different(service()));
    const result = await run();
    expect(result).toMatchObject({ ok: false, step, reason: expect.stringContaining(reason) });
    expect(reports[0]).toMatchObject({
      level: 'warn',
      outcome: 'failed',
      metrics: { SyntheticCheckPassed: 0 },
    });
    expect(JSON.stringify([result, reports])).not.toMatch(/cs_[0-9A-Za-z]{20}|Basic /);
  });

  it('tells a lost name of the issuer from a region that does not work', async () => {
    const { issuer } = service();
    const http = {
      postTokenRequest: createPostTokenRequest(),
      fetchDocument: createFetchServiceDocument(),
    };
    // The region's own addresses work; the name of the issuer has no record any more.
    const { run, reports } = checkOf(
      service(),
      // The region has another name than the issuer.
      { tokenUrl: service().tokenUrl.replace('localhost', '127.0.0.1') },
      {
        ...http,
        fetchDocument: (url) =>
          http.fetchDocument(
            url === `${issuer}/.well-known/openid-configuration` ? 'http://localhost:1/' : url,
          ),
      },
    );
    expect(await run()).toEqual({
      ok: false,
      token_latency_ms: expect.any(Number),
      issuer_reason: expect.stringMatching(/^UnavailableError: .+: .+/),
    });
    expect(reports).toEqual([
      expect.objectContaining({
        level: 'warn',
        outcome: 'failed',
        metrics: { SyntheticCheckPassed: 1, IssuerCheckPassed: 0 },
      }),
    ]);
  });

  it('sees that the name of the issuer works while the region issues no token', async () => {
    const { run, reports } = checkOf(service(), { tokenUrl: 'http://localhost:1' });
    await run();
    // The region has another name here.
    expect(reports[0]?.metrics).toEqual({ SyntheticCheckPassed: 0, IssuerCheckPassed: 1 });
  });

  it('can be run by hand', async () => {
    const lambda = new LambdaClient({
      endpoint: service().environment.AWS_ENDPOINT_URL_LAMBDA,
      region: 'us-west-2',
      credentials: service().aws.credentials,
    });
    onTestFinished(() => lambda.destroy());
    const FunctionName = functionName('local', 'synthetic-check');
    const { Payload } = await lambda.send(new InvokeCommand({ FunctionName }));
    expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toMatchObject({ ok: true });
  });
});
