import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toVariables } from '../../../adapters/aws-json-clients.ts';
import { createPutNotices, openDailyRun } from '../../../adapters/daily-run.ts';
import { toAuditItem } from '../../../adapters/dynamodb/audit-item.ts';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/audit-log.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/client-store.ts';
import { createDynamoDbDailyReportStore } from '../../../adapters/dynamodb/daily-report-store.ts';
import { createDynamoDbGrantStore } from '../../../adapters/dynamodb/record-partition.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { secondsPerDay } from '../../../contract/limits.ts';
import type { Client } from '../../../core/client/client.ts';
import { MalformedRecordError, UnavailableError } from '../../../core/errors.ts';
import type { ReportedCredential } from '../../../core/notices/daily-report.ts';
import { runDaily } from '../../../core/notices/daily-run.ts';
import type { Notice } from '../../../core/notices/notice.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';
import { startTables, type TestTables } from '../adapters/dynamodb-tables.ts';
import { type Answer, type StubServer, startStub } from '../adapters/stub-server.ts';

interface Entry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

const now = Math.floor(Date.now() / 1000);

let tables: TestTables;
let events: StubServer;
/** What EventBridge does with a call; it accepts everything once these are used up. */
let answers: ((entries: readonly Entry[]) => Answer)[] = [];

const accept = (entries: readonly Entry[]): Answer => ({
  status: 200,
  body: {
    FailedEntryCount: 0,
    Entries: entries.map((_, index) => ({ EventId: `event-${index}` })),
  },
});
/** Refuses the entries at these places, and accepts the others. */
const refuse =
  (...places: readonly number[]) =>
  (entries: readonly Entry[]): Answer => ({
    status: 200,
    body: {
      FailedEntryCount: places.length,
      Entries: entries.map((_, index) =>
        places.includes(index)
          ? { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' }
          : { EventId: `event-${index}` },
      ),
    },
  });

beforeAll(async () => {
  tables = await startTables();
  events = await startStub(({ input }) => {
    const entries = input['Entries'] as readonly Entry[];
    return (answers.shift() ?? accept)(entries);
  });
});
afterAll(async () => {
  await events.close();
  await tables.close();
});
beforeEach(async () => {
  answers = [];
  (events.calls as unknown[]).length = 0;
  for (const key of ['clients', 'signingKeys', 'audit'] as const) await tables.empty(key);
});

function notice(number: number): Notice<'unused'> {
  return {
    kind: 'unused',
    detail: {
      version: 1,
      notice_id: `notice-${number}`,
      deployment: 'test',
      service_trunk_group: 'tg-1001',
      credential: 'client_secret',
      client_id: 'client_1',
      client_name: 'Billing',
      secret_id: `secret_${number}`,
      created_at: '2026-01-01T00:00:00Z',
    },
  };
}

const environment = () => ({
  AWS_REGION: 'us-west-2',
  AWS_ENDPOINT_URL_EVENTBRIDGE: events.endpoint,
  AWS_ACCESS_KEY_ID: testAccessKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testAccessKey.secretAccessKey,
});

const putter = () =>
  createPutNotices({
    bus: 'test-notices',
    environment: environment(),
    wait: async () => undefined,
  });

const idsOf = (call: { readonly input: Record<string, unknown> }) =>
  (call.input['Entries'] as readonly Entry[]).map(
    ({ Detail }) => (JSON.parse(Detail) as { readonly notice_id: string }).notice_id,
  );

describe('sending notices', () => {
  it('calls PutEvents with ten entries at most, signed for EventBridge', async () => {
    await putter()(Array.from({ length: 23 }, (_, number) => notice(number)));
    expect(events.calls.map((call) => idsOf(call).length)).toEqual([10, 10, 3]);
    const [first] = events.calls;
    expect(first?.headers['x-amz-target']).toBe('AWSEvents.PutEvents');
    expect(first?.headers['content-type']).toBe('application/x-amz-json-1.1');
    expect(first?.headers['authorization']).toContain('/us-west-2/events/aws4_request');
    expect(first?.input).toMatchObject({
      Entries: expect.arrayContaining([
        {
          EventBusName: 'test-notices',
          Source: 'authorization-server',
          DetailType: 'Credential Unused',
          Detail: JSON.stringify(notice(0).detail),
        },
      ]),
    });
  });

  it('sends again what EventBridge refused of a request that it accepted', async () => {
    answers = [refuse(1, 3), refuse(0)];
    await putter()(Array.from({ length: 5 }, (_, number) => notice(number)));
    expect(events.calls.map(idsOf)).toEqual([
      ['notice-0', 'notice-1', 'notice-2', 'notice-3', 'notice-4'],
      ['notice-1', 'notice-3'],
      ['notice-1'],
    ]);
  });

  it('fails if EventBridge goes on to refuse some', async () => {
    answers = Array.from({ length: 5 }, () => refuse(0));
    const sending = putter()([notice(1), notice(2)]);
    await expect(sending).rejects.toThrow(
      new UnavailableError('EventBridge did not accept 1 of 2 notices: ThrottlingException'),
    );
    expect(events.calls).toHaveLength(5);
  });

  it.each<[string, object]>([
    ['no entries', {}],
    ['fewer entries than were sent', { FailedEntryCount: 0, Entries: [] }],
    ['entries of another kind', { Entries: ['a'] }],
  ])('fails for an answer with %s', async (_, body) => {
    answers = [() => ({ status: 200, body })];
    await expect(putter()([notice(1)])).rejects.toThrow('an answer of an unknown shape');
  });

  it('fails if it may not', async () => {
    answers = [() => ({ status: 400, body: { __type: 'AccessDeniedException', message: 'no' } })];
    await expect(putter()([notice(1)])).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });
});

function client(number: number, expiresAt: number): Client {
  const id = String(number).padStart(4, '0');
  return {
    clientId: `client_${id}`,
    name: `Client ${id}`,
    serviceTrunkGroup: 'tg-1001',
    audiences: [],
    tokenLifetime: 3600,
    scopes: ['messaging:view'],
    enabled: true,
    secrets: [{ secretId: `secret_${id}`, hash: 'sha256$H', createdAt: now - 60, expiresAt }],
    version: 1,
    createdAt: now - 60,
    updatedAt: now - 60,
  };
}

function openRun(onMalformedRecord: (error: Error) => void = () => undefined) {
  const config = parseDeploymentConfig({
    name: 'test',
    regions: { slc: { awsRegion: 'us-west-2' } },
    defaultAudience: 'https://api.example.com',
    scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
  });
  return openDailyRun({
    config,
    environment: { ...toVariables(testAwsOptions(tables.endpoint)), ...environment() },
    onMalformedRecord,
  });
}

const run = () => runDaily({ ...openRun(), isOutOfTime: () => false }, 'test');

describe('a daily run on tables', () => {
  it('sends what is due and lists it, once', async () => {
    const clients = createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'));
    const ends = [20, 3, 200, 10].map((days) => now + days * secondsPerDay);
    for (const [number, end] of ends.entries()) await clients.createClient(client(number, end));
    const audit = createDynamoDbAuditLog(tables.dynamodb, tables.nameOf('audit'));
    await audit.appendAudit({
      time: new Date((now - 3600) * 1000).toISOString(),
      recordId: 'change1-2-done',
      actor: 'arn:aws:iam::123456789012:user/ada',
      action: 'client.update',
      subject: 'client_0001',
      outcome: 'done',
      after: { service_trunk_group: 'tg-1001' },
    });
    expect(await run()).toMatchObject({
      status: 'complete',
      notices: { expiring: 3, unused: 0, change: 1 },
      expiring: 3,
    });
    expect(events.calls).toHaveLength(2);
    const reports = createDynamoDbDailyReportStore(tables.dynamodb, tables.nameOf('signingKeys'));
    const state = await reports.readState();
    const report = state?.report ?? { slot: 'a', parts: 0, time: 0 };
    const listed = await reports.readCredentials(report);
    expect(listed.map(({ expiresAt }) => expiresAt)).toEqual([ends[1], ends[3], ends[0]]);
    expect(await run()).toMatchObject({ status: 'current' });
    expect(events.calls).toHaveLength(2);
  });

  it('counts clients outside their grants, and goes on if the grants cannot be read', async () => {
    const issuer = 'https://ci.example.net';
    const provider = { issuer, registrationId: 'idp_1', externalClientId: 'repo:globex/app' };
    const clients = createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'));
    await clients.createClient({ ...client(1, now), secrets: [], provider });
    const signingKeys = tables.nameOf('signingKeys');
    const grants = createDynamoDbGrantStore(tables.dynamodb, signingKeys);
    const granted = [{ value: 'repo:globex/', trunkGroups: ['tg-2002'] }];
    const list = { kind: 'subject', place: issuer, version: 1, updatedAt: now } as const;
    await grants.putGrants({ ...list, grants: granted });
    expect(await run()).toMatchObject({ status: 'complete', outside: 1 });
    expect(await run()).toMatchObject({ status: 'current', outside: 1 });

    const { Items = [] } = await tables.dynamodb.scan({ TableName: signingKeys });
    const [item] = Items.filter((one) => one['record_type'] === 'subject_grants');
    await tables.empty('signingKeys');
    await tables.dynamodb.put({ TableName: signingKeys, Item: { ...item, grants: 'x' } });
    const malformed: Error[] = [];
    const ports = openRun((error) => malformed.push(error));
    const outcome = await runDaily({ ...ports, isOutOfTime: () => false }, 'test');
    expect(outcome).toMatchObject({ status: 'complete', outside: 0 });
    expect(malformed).toEqual([expect.any(MalformedRecordError)]);
  });

  it('reads the changes of a day in pages', async () => {
    const begin = now - 7200;
    for (let number = 0; number < 30; number++) {
      const record = {
        time: new Date((begin + number) * 1000).toISOString(),
        recordId: `change${String(number).padStart(2, '0')}-2-done`,
        actor: 'a',
        action: 'client.update',
        subject: 'client_1',
        outcome: 'done',
        // 100 KB: a read of DynamoDB ends after 1 MiB.
        after: { name: 'x'.repeat(100_000) },
      } as const;
      await tables.dynamodb.put({ TableName: tables.nameOf('audit'), Item: toAuditItem(record) });
    }
    expect(await run()).toMatchObject({ status: 'complete', notices: { change: 30 } });
    const ids = events.calls.flatMap(idsOf);
    expect(new Set(ids).size).toBe(30);
    expect(ids).toHaveLength(30);
  });
});

describe('a stored report', () => {
  const credential = (number: number): ReportedCredential => ({
    kind: 'api_key',
    serviceTrunkGroup: 'tg-1001',
    keyId: `key_${number}`,
    keyName: 'x'.repeat(100),
    expiresAt: now + number,
  });
  const open = () => createDynamoDbDailyReportStore(tables.dynamodb, tables.nameOf('signingKeys'));

  it('has several items if one is too small', async () => {
    const reports = open();
    const credentials = Array.from({ length: 3000 }, (_, number) => credential(number));
    const parts = await reports.writeCredentials({ slot: 'a', time: now, attempt: 1 }, credentials);
    expect(parts).toBeGreaterThan(1);
    await expect(
      reports.readCredentials({ slot: 'a', parts, time: now, attempt: 1 }),
    ).resolves.toEqual(credentials);
  });

  it('of another run is refused', async () => {
    const reports = open();
    await reports.writeCredentials({ slot: 'a', time: now, attempt: 2 }, [credential(1)]);
    for (const stored of [
      { slot: 'a', parts: 1, time: now + 1, attempt: 2 },
      { slot: 'a', parts: 1, time: now, attempt: 1 },
      { slot: 'a', parts: 1, time: now },
      { slot: 'a', parts: 2, time: now, attempt: 2 },
      { slot: 'b', parts: 1, time: now, attempt: 2 },
    ] as const) {
      await expect(reports.readCredentials(stored)).rejects.toThrow(MalformedRecordError);
    }
  });

  it('is not written to by an attempt that a later one overtook', async () => {
    const reports = open();
    const stored = { slot: 'a', time: now, parts: 1 } as const;
    await reports.writeCredentials({ ...stored, attempt: 2 }, [credential(2)]);
    const late = reports.writeCredentials({ ...stored, attempt: 1 }, [credential(1)]);
    await expect(late).rejects.toThrow('another attempt is running');
    await expect(reports.readCredentials({ ...stored, attempt: 2 })).resolves.toEqual([
      credential(2),
    ]);
    await reports.writeCredentials({ ...stored, attempt: 3 }, [credential(3)]);
  });

  it('of release 0.2.0 is read until there is one of this release, and stays', async () => {
    const reports = open();
    const TableName = tables.nameOf('signingKeys');
    const old = { record_type: 'daily_report', schema_version: 1 };
    const report = { slot: 'b', parts: 1, time: now - 60 } as const;
    const state = { ...old, record_id: 'state', version: 7, changes_until: {} };
    const items = [
      { ...state, report: { ...report, count: 0 }, run: { time: now, stage: 'clients', parts: 3 } },
      { ...old, record_id: 'b#00000', time: now - 60, credentials: [] },
    ];
    for (const Item of items) await tables.dynamodb.put({ TableName, Item });
    await expect(reports.readState()).resolves.toEqual({
      version: 0,
      report: { ...report, count: 0 },
      changesUntil: {},
    });
    await expect(reports.readCredentials(report)).resolves.toEqual([]);
    await reports.writeCredentials({ ...report, attempt: 1 }, [credential(1)]);
    await reports.writeState({
      version: 1,
      nonce: 'a',
      report: { ...report, count: 0 },
      changesUntil: {},
    });
    await expect(reports.readState()).resolves.toMatchObject({ version: 1, report });
    await expect(reports.readCredentials(report)).resolves.toEqual([]);
  });

  it('is replaced by one attempt at a time', async () => {
    const reports = open();
    const state = { version: 1, nonce: 'a', changesUntil: { slc: '2026-11-20T12:00:00.000Z' } };
    expect(await reports.readState()).toBeUndefined();
    await reports.writeState(state);
    expect(await reports.readState()).toEqual(state);
    await expect(reports.writeState(state)).rejects.toThrow('another attempt is running');
    await reports.writeState({ ...state, version: 2 });
  });
});
