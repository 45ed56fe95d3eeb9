import { createServer, type IncomingHttpHeaders } from 'node:http';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendAnswer } from '../../../adapters/cloudformation/send-answer.ts';
import { openJsonDynamoDb } from '../../../adapters/dynamodb/clients/json-documents.ts';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { settingsVariables } from '../../../contract/read-settings.ts';
import type { RotationStore } from '../../../core/key-rotation/rotation-ports.ts';
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { toVariables } from '../../../lab/support/aws-clients.ts';
import { exampleSigningKey } from '../../../lab/support/signing-keys.ts';
import {
  createDeploymentCheckHandler,
  type DeploymentCheckPorts,
} from '../../../lambda/deployment-check/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';
import { startTables, type TestTables } from '../adapters/dynamodb-tables.ts';

interface Put {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let tables: TestTables;
let store: RotationStore;
let puts: Put[] = [];
/** What the address of the answer says, one after another; then 200. */
let statuses: number[] = [];
let reports: RunReport[] = [];
/** Functions whose reservations were read. */
const asked: string[] = [];
let now = 1_800_000_000;
/** What the live version of the token function has; undefined before the first deployment. */
let live: Readonly<Record<string, string>> | undefined;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    puts.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(statuses.shift() ?? 200).end();
  });
});
let responseUrl: string;

beforeAll(async () => {
  tables = await startTables();
  store = createDynamoDbRotationStore(tables.dynamodb, tables.nameOf('signingKeys'));
  const port = await listenOnLoopback(server);
  responseUrl = `http://127.0.0.1:${port}/answer?X-Amz-Signature=secret`;
});
afterAll(async () => {
  await closeServer(server);
  await tables.close();
});
beforeEach(async () => {
  await tables.empty('signingKeys');
  [puts, statuses, reports, now] = [[], [], [], 1_800_000_000];
  asked.length = 0;
  live = liveVariables();
});

const accepted =
  'the config is that of the deployed service, and every signing key in use keeps its algorithm';

function liveVariables(changed: Readonly<Record<string, string>> = {}) {
  return settingsVariables({
    issuer: 'https://auth.example.com',
    defaultAudience: 'https://api.example.com',
    clientsTable: tables.nameOf('clients'),
    signingKeysTable: tables.nameOf('signingKeys'),
    ...changed,
  });
}

const openTables = () =>
  openJsonDynamoDb(toVariables(testAwsOptions(tables.endpoint)), 'request')(() => {}).own;

function createHandler(
  more: Partial<DeploymentCheckPorts> = {},
  table = tables.nameOf('signingKeys'),
  clients = openTables(),
) {
  const tokenFunction = 'authorization-server-token';
  const settings = { signingKeysTable: table, tokenFunction, policy };
  return createDeploymentCheckHandler(settings, clients, {
    sendAnswer,
    readVariables: async () => live,
    readConcurrency: async (names) => {
      asked.push(...names);
      return { account: { limit: 10, unreserved: 10 }, held: 0 };
    },
    readQuota: async ({ service, code }) => {
      asked.push(`${service} ${code}`);
      return 1500;
    },
    now: () => now,
    sleep: async () => {},
    telemetry: { report: (run) => reports.push(run) },
    ...more,
  });
}

const ids = {
  StackId: 'arn:aws:cloudformation:us-west-2:111122223333:stack/AuthorizationServer-slc/1',
  RequestId: 'request',
  LogicalResourceId: 'DeploymentCheck',
};

function event(algorithms: readonly string[], more: object = {}, properties: object = {}) {
  return {
    RequestType: 'Update',
    ResponseURL: responseUrl,
    ...ids,
    PhysicalResourceId: 'deployment-check',
    ResourceProperties: {
      ServiceToken: 'arn',
      SigningAlgorithms: algorithms,
      Regions: ['slc', 'dfw'],
      Literals: {
        issuer: 'https://auth.example.com',
        defaultAudience: 'https://api.example.com',
        clientsTable: tables.nameOf('clients'),
      },
      Former: {},
      ...properties,
    },
    ...more,
  };
}

const context = { getRemainingTimeInMillis: () => 100_000 };
const outOfTime = { getRemainingTimeInMillis: () => 60_000 };
const answers = () => puts.map(({ body }) => JSON.parse(body) as Record<string, string>);

describe('the deployment check', () => {
  it('allows a first deployment, whose table has no keys', async () => {
    const first = { RequestType: 'Create', PhysicalResourceId: undefined };
    await createHandler()(event(['RS256'], first), context);
    expect(answers()).toEqual([
      { Status: 'SUCCESS', Reason: accepted, PhysicalResourceId: 'DeploymentCheck', ...ids },
    ]);
    expect(reports).toMatchObject([{ level: 'info', outcome: 'allowed' }]);
  });

  it('answers as the signature of the address wants it, and never logs the address', async () => {
    await createHandler()(event(['RS256']), context);
    const [put] = puts;
    expect(put).toMatchObject({ method: 'PUT', path: '/answer?X-Amz-Signature=secret' });
    expect(put?.headers).toMatchObject({
      'content-type': '',
      'content-length': String(put?.body.length),
    });
    expect(JSON.stringify(reports)).not.toContain('secret');
  });

  it('refuses to take its algorithm from the key that signs', async () => {
    const key = exampleSigningKey('RS256');
    await store.createSigningKey(key);
    await createHandler()(event(['PS256']), context);
    expect(answers()).toMatchObject([{ Status: 'FAILED', ...ids }]);
    expect(answers()[0]?.['Reason']).toMatch(
      new RegExp(
        `^signingAlgorithms: received PS256; allowed at 2027-01-15T08:00:00Z: PS256, RS256, because of these keys:\n {2}slc: ${key.kid} \\(RS256\\) signs; RS256 can be removed from 2027-`,
      ),
    );
    expect(reports).toMatchObject([{ level: 'error', outcome: 'refused' }]);
  });

  it('lets a region go whose rotation has not run for longer than a token lives', async () => {
    await store.createSigningKey(exampleSigningKey('RS256', { regionId: 'pit' }));
    await store.putHeartbeat({ regionId: 'pit', at: now - policy.retention + 1 });
    const handler = createHandler();
    await handler(event(['PS256']), context);
    now += 1;
    await handler(event(['PS256']), context);
    expect(answers().map(({ Status }) => Status)).toEqual(['FAILED', 'SUCCESS']);
  });

  it('refuses while it cannot read a record, which may be of a key that signs', async () => {
    const TableName = tables.nameOf('signingKeys');
    const Item = { record_type: { S: 'signing_key' }, record_id: { S: 'x' }, extra: { S: 'y' } };
    await tables.dynamodb.send(new PutItemCommand({ TableName, Item }));
    await createHandler()(event(['RS256']), context);
    expect(answers()).toMatchObject([{ Status: 'FAILED' }]);
  });

  it('refuses to reserve what the account does not have, and names quota, sum and keys', async () => {
    const Reservations = JSON.stringify([
      { name: 'token', key: 'reservedConcurrency.token', executions: 5 },
      { name: 'portal', key: 'portal.reservedConcurrency', executions: 1 },
    ]);
    const reserving = event(['RS256'], {}, { Reservations });
    await createHandler()(reserving, context);
    const Reason =
      'reservedConcurrency.token (5) + portal.reservedConcurrency (1): received 6 reserved executions; allowed: at most 0, because the account has a Lambda quota of 10 concurrent executions in this AWS region, other functions reserve 0, and Lambda keeps 10 unreserved: request a higher quota (Service Quotas, "Concurrent executions"), or reserve less in these keys: without the key or with "none", a function reserves nothing';
    expect(answers()).toMatchObject([{ Status: 'FAILED', Reason }]);
    expect(asked).toEqual(['authorization-server-token', 'authorization-server-portal']);
    const account = { limit: 1000, unreserved: 106 };
    const readConcurrency = async () => ({ account, held: 0 });
    await createHandler({ readConcurrency })(reserving, context);
    expect(answers()[1]).toMatchObject({ Status: 'SUCCESS' });
  });

  it.each([
    ['kmsSignQuota', 'kms', 2000, 'AWS KMS, "Cryptographic operations request rate" of the'],
    ['apiGatewayQuota', 'apigateway', 1501, 'Amazon API Gateway, "Throttle rate")'],
    ['apiGatewayQuota', 'apigateway', 1500, undefined],
  ])('reads the quota of %s, and refuses more than the account has', async (...row) => {
    const [key, service, value, remedy] = row;
    const quota = { key, service, code: 'L-1', standard: 1000, value };
    const Quotas = JSON.stringify([quota]);
    await createHandler()(event(['RS256'], {}, { Quotas }), context);
    expect(asked).toEqual([`${service} L-1`]);
    const refused = `${key}: received ${value}; allowed: at most 1500, which this account has in this AWS region: request a higher quota (Service Quotas, ${remedy}`;
    const [answer] = answers();
    expect(answer?.Status).toBe(remedy === undefined ? 'SUCCESS' : 'FAILED');
    if (remedy !== undefined) expect(answer?.Reason).toContain(refused);
  });

  it('refuses without the table that the deployed service uses', async () => {
    live = liveVariables({ signingKeysTable: 'no-such-table' });
    await createHandler({}, 'no-such-table')(event(['RS256']), context);
    // Both partitions are read at once: the one that is refused first is in the reason.
    const reason =
      /^the deployed service could not be checked: ResourceNotFoundException: could not list (?:signing_key|region_heartbeat) of no-such-table: it does not exist in this AWS region$/;
    expect(answers()).toMatchObject([{ Status: 'FAILED', Reason: expect.stringMatching(reason) }]);
  });

  it('refuses properties that it does not understand', async () => {
    await createHandler()(event(['HS256']), context);
    expect(answers()).toMatchObject([
      { Status: 'FAILED', Reason: expect.stringContaining('SigningAlgorithms') },
    ]);
  });

  it('allows a first deployment, which has yet to make the table', async () => {
    live = undefined;
    const first = { RequestType: 'Create', PhysicalResourceId: undefined };
    await createHandler({}, 'no-such-table')(event(['RS256'], first), context);
    expect(answers()).toMatchObject([{ Status: 'SUCCESS', Reason: accepted }]);
  });

  it('refuses the config of another service before it looks at the keys', async () => {
    const Literals = { defaultAudience: 'https://api.example.com', clientsTable: 'x-clients' };
    await store.createSigningKey(exampleSigningKey('RS256'));
    await createHandler()(event(['PS256'], {}, { Literals }), context);
    expect(answers()[0]?.['Reason']).toMatch(
      /^this is not the config of the deployed service, which continues unchanged:\n {2}issuer: received nothing; allowed: "https:\/\/auth\.example\.com", which is deployed/,
    );
  });

  it('refuses if the deployed function does not say what it has', async () => {
    live = {};
    await createHandler()(event(['RS256']), context);
    expect(answers()[0]?.['Reason']).toContain(
      'the deployed service could not be checked: Error: the token function: AUTH_SETTINGS is missing',
    );
  });

  it('has nothing against the end of a stack', async () => {
    await store.createSigningKey(exampleSigningKey('RS256'));
    await createHandler()(event(['PS256'], { RequestType: 'Delete' }), context);
    expect(answers()).toMatchObject([{ Status: 'SUCCESS' }]);
  });

  it('answers again if an answer is lost, and fails after three', async () => {
    statuses = [500, 503];
    await createHandler()(event(['RS256']), context);
    expect(answers().map(({ Status }) => Status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
    statuses = [500, 500, 500];
    await expect(createHandler()(event(['RS256']), context)).rejects.toThrow(
      'CloudFormation was not answered: status 500',
    );
  });

  it('names no address when it cannot answer', async () => {
    const gone = event(['RS256'], { ResponseURL: 'http://127.0.0.1:1/x?X-Amz-Signature=secret' });
    await expect(createHandler()(gone, context)).rejects.toThrow(
      'CloudFormation was not answered: ECONNREFUSED',
    );
    const other = event(['RS256'], { ResponseURL: 'ftp://elsewhere/?X-Amz-Signature=secret' });
    await expect(createHandler()(other, context)).rejects.toThrow(
      'ResponseURL: received the host elsewhere; allowed',
    );
  });

  it('does not understand what CloudFormation does not send', async () => {
    await expect(createHandler()({}, context)).rejects.toThrow('RequestType');
    expect(puts).toEqual([]);
  });
});

describe('the permissions of a role that was just made', () => {
  const denied = Object.assign(
    new Error('User: arn:x is not authorized to perform: dynamodb:Query on resource: arn:y'),
    { name: 'AccessDeniedException' },
  );
  const failing = (times: number) => {
    let left = times;
    const clients = openTables();
    const query: typeof clients.query = async (...args) => {
      left -= 1;
      if (left >= 0) throw denied;
      return clients.query(...args);
    };
    return createHandler({}, undefined, { ...clients, query });
  };

  it('are waited for', async () => {
    await failing(5)(event(['RS256']), context);
    expect(answers()).toMatchObject([{ Status: 'SUCCESS' }]);
  });

  it('are not waited for longer than the function lives', async () => {
    await failing(5)(event(['RS256']), outOfTime);
    expect(answers()).toMatchObject([
      {
        Status: 'FAILED',
        Reason:
          'the deployed service could not be checked: IAM does not allow dynamodb:Query on arn:y',
      },
    ]);
  });
});
