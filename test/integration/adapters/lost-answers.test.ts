import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DynamoDbDocuments } from '../../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { openJsonDynamoDb } from '../../../adapters/dynamodb/clients/json-documents.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { Client } from '../../../core/client/client.ts';
import { ConflictError, UnavailableError, UncertainConflictError } from '../../../core/errors.ts';
import { collect } from '../../../core/paging.ts';
import { createAwsCaller } from '../../../lab/emulator/aws-server/aws-caller.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { testAwsEnvironment, testAwsOptions } from './dynalite.ts';
import { startTables, type TestTables } from './dynamodb-tables.ts';
import { type Answer, type Call, type StubServer, startStub } from './stub-server.ts';

let tables: TestTables;
let proxy: StubServer;
let dynamodb: DynamoDbDocuments;
/** Answers to writes that get lost from now on, and what happens when one does. */
let lost = 0;
let onLoss: () => Promise<unknown> = () => Promise.resolve();

async function forward({ body: sent, headers }: Call): Promise<Exclude<Answer, string>> {
  const { endpoint } = tables;
  const caller = createAwsCaller({ service: 'dynamodb', endpoint, accessKey: testAccessKey });
  const target = String(headers['x-amz-target']);
  const body = Buffer.from(sent);
  const answer = await caller.call({ region: 'us-west-2', target, body });
  caller.close();
  return { status: answer.status, body: JSON.parse(answer.body.toString()) as object };
}

beforeAll(async () => {
  tables = await startTables();
  proxy = await startStub(async (call) => {
    const answer = await forward(call);
    if (lost === 0 || call.operation === 'GetItem') return answer;
    lost -= 1;
    await onLoss();
    return 'reset';
  });
});
afterAll(async () => {
  await proxy.close();
  await tables.close();
});
beforeEach(async () => {
  lost = 0;
  onLoss = () => Promise.resolve();
  for (const key of ['clients', 'apiKeys', 'audit'] as const) await tables.empty(key);
});

const openClients = () =>
  createDynamoDbClientStore(dynamodb, tables.nameOf('clients'), { consistentRead: true });
const openApiKeys = () =>
  createDynamoDbApiKeyStore(dynamodb, tables.nameOf('apiKeys'), { consistentRead: true });

const secret = { secretId: 'secret_a', hash: 'sha256$x', createdAt: 1 };
const client: Client = {
  clientId: 'client_1',
  name: 'billing',
  serviceTrunkGroup: 'tg-1',
  audiences: [],
  tokenLifetime: 3600,
  scopes: ['messaging:view'],
  secrets: [secret],
  version: 1,
  createdAt: 1,
  updatedAt: 1,
};
const apiKey: ApiKey = {
  keyId: 'key_1',
  hash: 'sha256$x',
  name: 'office',
  serviceTrunkGroup: 'tg-1',
  subnets: [],
  version: 1,
  createdAt: 1,
  updatedAt: 1,
};

const clientsOfDynamoDb = {
  "the SDK's client": () => createDynamoDbClient(testAwsOptions(proxy.endpoint)),
  'the AWS JSON client': () =>
    openJsonDynamoDb(testAwsEnvironment(proxy.endpoint), 'request')(() => undefined).own,
};

describe.each(Object.entries(clientsOfDynamoDb))('%s', (_, createDocuments) => {
  beforeAll(() => {
    dynamodb = createDocuments();
  });
  beforeEach(async () => {
    // Successes earn the retries that the tests below spend.
    for (let count = 0; count < 20; count += 1) await openClients().find('none');
  });

  describe('a write whose answer is lost, and that is sent again', () => {
    it('creates', async () => {
      lost = 1;
      await openClients().create(client);
      lost = 1;
      await openApiKeys().create(apiKey);
      expect(await openClients().find('client_1')).toEqual(client);
      expect(await openApiKeys().find('key_1')).toEqual(apiKey);
    });

    it('replaces, also when a secret is used meanwhile', async () => {
      const clients = openClients();
      await clients.create(client);
      onLoss = () =>
        createDynamoDbClientReader(tables.dynamodb, tables.nameOf('clients')).recordUse(
          'client_1',
          'secret_a',
          '2026-11-20',
        );
      lost = 1;
      await clients.replace({ ...client, name: 'invoices', version: 2 });
      expect(await clients.find('client_1')).toEqual({
        ...client,
        name: 'invoices',
        version: 2,
        secrets: [{ ...secret, lastUsedOn: '2026-11-20' }],
      });
      onLoss = () => Promise.resolve();
      await openApiKeys().create(apiKey);
      lost = 1;
      await openApiKeys().replace({ ...apiKey, stops: personStop, version: 2 });
      expect(await openApiKeys().find('key_1')).toMatchObject({ stops: personStop, version: 2 });
    });

    it('deletes', async () => {
      await openClients().create(client);
      lost = 1;
      await openClients().delete('client_1', 1);
      expect(await openClients().find('client_1')).toBeUndefined();
    });

    it('appends one record to the audit', async () => {
      const audit = createDynamoDbAuditLog(dynamodb, tables.nameOf('audit'));
      const record = {
        time: '2026-01-01T00:00:00.000Z',
        recordId: 'r1',
        actor: 'a',
        action: 'client.create',
        subject: 'client_1',
        outcome: 'done',
      } as const;
      lost = 1;
      await audit.appendAudit(record);
      expect(await collect(audit.listAudit('2026-01-01'))).toEqual([record]);
    });
  });

  describe('a write that another writer forestalls while its answer is lost', () => {
    const direct = () => createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'));

    it('is a conflict, and what the other wrote stands', async () => {
      await openClients().create(client);
      onLoss = () => direct().replace({ ...client, name: 'theirs', version: 3 });
      lost = 1;
      await expect(openClients().replace({ ...client, name: 'ours', version: 2 })).rejects.toThrow(
        ConflictError,
      );
      expect(await openClients().find('client_1')).toMatchObject({ name: 'theirs' });
    });

    it('is an uncertain one if it was made and changed again, since no one can tell', async () => {
      const clients = openClients();
      await clients.create(client);
      // The first attempt is made and deletes the secret; then someone renames the client.
      onLoss = () => direct().replace({ ...client, secrets: [], name: 'renamed', version: 3 });
      lost = 1;
      const deletion = clients.replace({ ...client, secrets: [], version: 2 });
      await expect(deletion).rejects.toBeInstanceOf(UncertainConflictError);
      // A condition that fails at the first attempt is a certain conflict.
      const late = clients.replace({ ...client, version: 2 });
      await expect(late).rejects.not.toBeInstanceOf(UncertainConflictError);
    });

    it('says that it may have been made if every answer is lost', async () => {
      lost = 99;
      await expect(openClients().create(client)).rejects.toThrow(UnavailableError);
      lost = 0;
      expect(await openClients().find('client_1')).toEqual(client);
    });
  });
});
