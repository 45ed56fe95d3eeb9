import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/dynamodb-client.ts';
import { createSealedTokenStore } from '../../../adapters/dynamodb/sealed-token-store.ts';
import { sealedTokenTable, sealedTokenTableName } from '../../../contract/tables.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import {
  type Answer,
  answer,
  hangUp,
  startScriptedService,
  stayMute,
} from '../aws-json/scripted-service.ts';
import { startDynalite, testAwsEnvironment, testAwsOptions } from './dynalite.ts';

const name = sealedTokenTableName('test');
/** Those of production: a mute service is not waited for. */
const short = { read: 5, write: 1 };
const item = { itemId: 'item', sealed: new Uint8Array([0, 1, 254, 255]), expiresAt: 1_800_003_600 };

function openStore(endpoint: string, waits?: typeof short) {
  const client = createAwsJsonClient({
    service: 'dynamodb',
    environment: testAwsEnvironment(endpoint),
    profile: callProfiles.optional,
    maxSockets: 10,
  });
  onTestFinished(() => client.close());
  return createSealedTokenStore(client, name, waits);
}

async function scripted(script: readonly Answer[], waits?: typeof short) {
  const service = await startScriptedService(script);
  onTestFinished(() => service.close());
  return { service, store: openStore(service.url, waits) };
}

describe('the table of sealed tokens', () => {
  it('gives each instance what another one wrote', async () => {
    const server = await startDynalite();
    onTestFinished(() => server.close());
    const dynamodb = createDynamoDbClient(testAwsOptions(server.endpoint));
    await createTable(dynamodb, { ...sealedTokenTable, name });
    const [writer, reader] = [openStore(server.endpoint), openStore(server.endpoint)];
    await writer.write(item);
    // The write does not wait for DynamoDB.
    await vi.waitFor(async () => expect(await reader.read('item')()).toBeDefined());
    expect(await reader.read('item')()).toEqual(Buffer.from(item.sealed));
    expect(await reader.read('other')()).toBeUndefined();
    const { Item } = await dynamodb.get({ TableName: name, Key: { item_id: 'item' } });
    expect(Item).toEqual({
      item_id: 'item',
      sealed: new Uint8Array(item.sealed),
      expires_at: item.expiresAt,
    });
    expect(reader.takeFailures() + writer.takeFailures()).toBe(0);
  });
});

const failing: readonly (readonly [string, Answer])[] = [
  ['throttles', answer(400, { __type: 'com.amazonaws.dynamodb#ThrottlingException' })],
  ['does not exist', answer(400, { __type: 'com.amazonaws.dynamodb#ResourceNotFoundException' })],
  ['refuses', answer(400, { __type: 'com.amazon.coral.service#AccessDeniedException' })],
  ['fails', answer(500)],
  ['hangs up', hangUp],
  ['answers no JSON', (response) => response.end('<html>')],
];

describe('a table that does not do its work', () => {
  it.each(failing)(
    '%s: nothing is found, nothing is tried again, and it is counted',
    async (_, line) => {
      const { service, store } = await scripted([line]);
      expect(await store.read('item')()).toBeUndefined();
      expect(store.takeFailures()).toBe(1);
      await store.write(item);
      await vi.waitFor(() => expect(store.takeFailures()).toBe(1));
      expect(service.requests).toHaveLength(2);
    },
  );

  it('is not waited for', async () => {
    const { service, store } = await scripted([stayMute], short);
    expect(await store.read('item')()).toBeUndefined();
    expect(store.takeFailures()).toBe(1);
    await store.write(item);
    await vi.waitFor(() => expect(service.requests).toHaveLength(2));
  });

  it('is not there', async () => {
    const { service, store } = await scripted([stayMute]);
    await service.close();
    expect(await store.read('item')()).toBeUndefined();
    await store.write(item);
    expect(store.takeFailures()).toBe(2);
  });

  it.each([
    ['nothing', {}],
    ['an item without the attribute', { Item: { item_id: { S: 'item' } } }],
    ['text', { Item: { sealed: { S: 'AQID' } } }],
    ['a number of bytes', { Item: { sealed: { B: 7 } } }],
  ])('answers with %s: nothing is found', async (_, body) => {
    const { store } = await scripted([answer(200, body)]);
    expect(await store.read('item')()).toBeUndefined();
  });
});
