import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { secondsPerDay } from '../../../contract/bounds.ts';
import { tableName } from '../../../contract/tables.ts';
import { formatId, idBytes, readApiKeyId } from '../../../core/credential/credential-value.ts';
import type { FaultScriptInput } from '../../../lab/emulator/faults/fault-script.ts';
import { stepLimit } from '../../../lab/support/hang-limit.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { createVerifier, type Verifier } from '../../../verifier/verifier.ts';
import { figure } from '../../support/figure.ts';
import { malformedClients } from '../../support/malformed-clients.ts';
import {
  type Answer,
  askToken,
  countStatus,
  load,
  percentile,
  timed,
  unavailableAnswer,
} from './load.ts';
import { useFaultyService } from './use-faulty-service.ts';

const { faults, service } = useFaultyService();
const TableName = tableName('local', 'clients');
let dynamodb: DynamoDBDocument;
let template: Item | undefined;

beforeAll(async () => {
  dynamodb = createDynamoDbClient(service().aws);
  const Key = { client_id: service().clientId };
  template = (await dynamodb.get({ TableName, Key })).Item;
});
afterAll(() => dynamodb.destroy());

/** A client of its own with the demonstration client's secret. */
async function putClient(index: number, change: object): Promise<string> {
  const clientId = formatId('client', Buffer.alloc(idBytes, index + 1));
  await dynamodb.put({ TableName, Item: { ...template, client_id: clientId, ...change } });
  return clientId;
}

describe('a client item that is malformed', () => {
  it('fails that client closed, and no other', async () => {
    const { clientSecret } = service();
    const wellFormed = await putClient(200, {});
    expect((await askToken(service(), basic(wellFormed, clientSecret))).status).toBe(200);
    const answers: Answer[] = [];
    const others: Answer[] = [];
    for (const [index, [, change]] of malformedClients.entries()) {
      const clientId = await putClient(index, change);
      answers.push(await askToken(service(), basic(clientId, clientSecret)));
      others.push(await askToken(service()));
    }
    const served = countStatus(others, 200);
    figure('malformed client items', {
      items: malformedClients.length,
      'tokens issued for them': countStatus(answers, 200),
      'other clients served meanwhile': served,
    });
    expect(served).toBe(malformedClients.length);
    for (const [index, { status, body }] of answers.entries()) {
      expect([malformedClients[index]?.[0], status, body['error']]).toEqual([
        malformedClients[index]?.[0],
        500,
        'server_error',
      ]);
    }
  });
});

describe('a table that does not answer', () => {
  it.each([
    ['throttles', { fault: 'error', code: 'ThrottlingException' }],
    ['has no capacity', { fault: 'error', code: 'ProvisionedThroughputExceededException' }],
    ['fails', { fault: 'error', code: 'InternalServerError' }],
    ['breaks off', { fault: 'reset' }],
    ['breaks off in its answer', { fault: 'partial_body', bytes: 30 }],
  ] as const)('and %s: 503, and no retry storm', async (what, fault) => {
    await load(50, 5, () => askToken(service()));
    faults.takeCounts();
    faults.play({ rules: [{ service: 'dynamodb', table: 'clients', ...fault }] });
    // Each open connection that breaks off costs one call more: five of them here.
    const requests = 120;
    const answers = await load(requests, 5, () => askToken(service()));
    const calls = faults.takeCounts()['dynamodb.GetItem'] ?? 0;
    figure(`the clients table ${what}`, {
      requests,
      'GetItem calls per request': (calls / requests).toFixed(3),
    });
    for (const answer of answers) expect(answer).toMatchObject(unavailableAnswer);
    expect(calls / requests).toBeLessThanOrEqual(1.2);
  });
});

describe('the table of the last uses of API keys', () => {
  // A value is written once a day, so each case is on a day of its own. The write that hangs is last:
  // it is under way until the service is stopped.
  it.each([
    ['answers', 1, []],
    ['denies', 2, [{ fault: 'error', code: 'AccessDeniedException' }]],
    ['throttles', 3, [{ fault: 'error', code: 'ThrottlingException' }]],
    ['hangs', 4, [{ fault: 'latency', milliseconds: stepLimit }]],
  ] as const)('%s: the authorizer accepts a key, and no answer waits', async (what, day, rules) => {
    const { apiKey, exampleUrl } = service();
    const keyId = readApiKeyId(apiKey);
    const write = { service: 'dynamodb', operation: 'UpdateItem', key: `${keyId}/${keyId}` };
    faults.play({
      rules: [
        { fault: 'clock_skew', seconds: day * secondsPerDay },
        ...rules.map((rule) => ({ ...write, ...rule })),
      ],
    } as FaultScriptInput);
    const headers = { authorization: `Bearer ${apiKey}` };
    faults.takeCounts();
    faults.takeAffected();
    const requests = 20;
    const answers = await load(requests, 2, () => timed(() => fetch(exampleUrl, { headers })));
    const writes = faults.takeCounts()['dynamodb.UpdateItem'];
    figure(`the table of the last uses ${what}`, {
      requests,
      writes: String(writes),
      'median ms': percentile(answers, 0.5).toFixed(1),
      'slowest ms': percentile(answers, 1).toFixed(1),
    });
    expect([countStatus(answers, 200), faults.takeAffected()]).toEqual([requests, rules.length]);
    // A write of a test before this one may still be repeated.
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThan(requests / 2);
    // An answer that waits for the write takes this long.
    expect(percentile(answers, 1)).toBeLessThan(stepLimit);
  });
});

describe('a region whose DynamoDB is gone', () => {
  let verifier: Verifier;
  let token: string;

  beforeAll(async () => {
    const { issuer } = service();
    verifier = createVerifier({ issuer, audience: 'https://api.example.com' });
    token = String((await askToken(service())).body['access_token']);
    await verifier.preload();
  });

  const health = () => timed(() => fetch(`${service().issuer}/health`));

  it('says so to the load balancer within ten seconds, and comes back as soon', async () => {
    expect((await health()).status).toBe(200);
    const gone = { service: 'dynamodb', fault: 'reset' } as const;
    let redAfter = 0;
    do {
      redAfter += 1;
      faults.play({ rules: [gone, { fault: 'clock_skew', seconds: redAfter }] });
    } while ((await health()).status === 200 && redAfter < 60);
    let greenAfter = 0;
    do {
      greenAfter += 1;
      faults.play({ rules: [{ fault: 'clock_skew', seconds: redAfter + greenAfter }] });
    } while ((await health()).status !== 200 && greenAfter < 60);
    figure('DynamoDB of a region is gone', {
      'health check red after s': redAfter,
      'green again after s': greenAfter,
    });
    expect(redAfter).toBeLessThanOrEqual(10);
    expect(greenAfter).toBeLessThanOrEqual(10);
  });

  it('goes on verifying: documents and tokens do not need it', async () => {
    faults.play({ rules: [{ service: 'dynamodb', fault: 'reset' }] });
    const before = performance.now();
    const tokens = 50;
    let accepted = 0;
    for (let count = 0; count < tokens; count += 1) {
      const verified = await verifier.verify({ authorization: `Bearer ${token}` });
      if (verified.credential === 'access_token') accepted += 1;
    }
    const each = (performance.now() - before) / tokens;
    // Long after the list of keys was due to be read again.
    faults.play({
      rules: [
        { service: 'dynamodb', fault: 'reset' },
        { fault: 'clock_skew', seconds: 3600 },
      ],
    });
    const jwks = await timed(() => fetch(service().jwksUri));
    expect(jwks.status).toBe(200);
    expect(jwks.body['keys']).not.toEqual([]);
    figure('verification without DynamoDB', {
      tokens,
      accepted,
      'JWKS an hour later': jwks.status,
      'ms each': each.toFixed(2),
    });
    expect(accepted).toBe(tokens);
  });
});
