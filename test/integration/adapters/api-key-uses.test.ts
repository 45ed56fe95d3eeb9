import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createApiKeyUseReader } from '../../../adapters/dynamodb/stores/api-key-use-reader.ts';
import { createApiKeyUseRecorder } from '../../../adapters/dynamodb/stores/api-key-uses.ts';
import { secondsPerDay } from '../../../contract/bounds.ts';
import { apiKeyUseTable, apiKeyUseTableName } from '../../../contract/tables.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { stepLimit } from '../../../lab/support/hang-limit.ts';
import { startDynalite, testAwsEnvironment, testAwsOptions } from './dynalite.ts';

const name = apiKeyUseTableName('uses');
const now = 1_800_000_000;
const today = '2027-01-15';

let server: Awaited<ReturnType<typeof startDynalite>>;
beforeAll(async () => {
  server = await startDynalite();
  await createTable(dynamodb(), { ...apiKeyUseTable, name });
});
afterAll(() => server.close());

const dynamodb = () => createDynamoDbClient(testAwsOptions(server.endpoint));

/** A recorder of one instance, and how many of its writes have ended. */
function instance() {
  const client = createAwsJsonClient({
    service: 'dynamodb',
    environment: testAwsEnvironment(server.endpoint),
    profile: callProfiles.optional,
    maxSockets: 10,
  });
  onTestFinished(() => client.close());
  const sent: string[] = [];
  const units: number[] = [];
  let ended = 0;
  const call: typeof client.call = async (operation, input) => {
    sent.push(operation);
    try {
      const output = await client.call(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' });
      const { ConsumedCapacity } = output as { ConsumedCapacity?: { CapacityUnits?: number } };
      units.push(ConsumedCapacity?.CapacityUnits ?? 0);
      return output;
    } finally {
      ended += 1;
    }
  };
  const record = createApiKeyUseRecorder({ ...client, call }, name);
  const settled = () => vi.waitFor(() => expect(ended).toBe(sent.length), { timeout: stepLimit });
  return { record, settled, sent, units };
}

const keyOf = (keyId: string, valueId = keyId) => ({ keyId, valueId });
const reader = (at = now) =>
  createApiKeyUseReader([(run) => run(dynamodb())], name, () => at * 1000);

describe('the table of the last uses', () => {
  it('has the day of each value, and nothing of a value that was not used', async () => {
    const { record, settled } = instance();
    record(keyOf('key_one'), now);
    record(keyOf('key_one', 'secret_two'), now - secondsPerDay);
    await settled();
    const uses = [keyOf('key_none'), keyOf('key_one'), keyOf('key_one', 'secret_two')];
    await vi.waitFor(
      async () =>
        expect(await reader().findLastUses(uses)).toEqual([undefined, today, '2027-01-14']),
      stepLimit,
    );
    const Key = { use_id: 'key_one/key_one' };
    const { Item } = await dynamodb().get({ TableName: name, Key });
    expect(Item).toEqual({ ...Key, used_on: today, expires_at: now + 400 * secondsPerDay });
  });

  it('is written once a day by each instance, and never goes back', async () => {
    const [first, behind] = [instance(), instance()];
    for (const after of [0, 1, 2]) first.record(keyOf('key_back'), now + after);
    await first.settled();
    first.record(keyOf('key_back'), now + 3);
    behind.record(keyOf('key_back'), now - secondsPerDay);
    await behind.settled();
    expect([first.sent, behind.sent]).toEqual([['GetItem', 'UpdateItem'], ['GetItem']]);
    expect(await reader().findLastUses([keyOf('key_back')])).toEqual([today]);
  });

  it('shows no day of the future, and the next use corrects it', async () => {
    const Item = { use_id: 'key_future/key_future', used_on: '2099-01-01', expires_at: 1 };
    await dynamodb().put({ TableName: name, Item });
    expect(await reader().findLastUses([keyOf('key_future')])).toEqual([undefined]);
    const { record, settled } = instance();
    record(keyOf('key_future'), now);
    await settled();
    expect(await reader().findLastUses([keyOf('key_future')])).toEqual([today]);
  });

  it('counts the latest day of all regions, and says if one does not answer', async () => {
    const { record, settled } = instance();
    record(keyOf('key_regions'), now - secondsPerDay);
    await settled();
    const other = async () => new Map([['key_regions/key_regions', { used_on: today }]]) as never;
    const both = createApiKeyUseReader([(run) => run(dynamodb()), other], name, () => now * 1000);
    expect(await both.findLastUses([keyOf('key_regions')])).toEqual([today]);
    const down = () => Promise.reject(new UnavailableError('down'));
    const half = createApiKeyUseReader([(run) => run(dynamodb()), down], name, () => now * 1000);
    await expect(half.findLastUses([keyOf('key_regions')])).rejects.toThrow(UnavailableError);
  });
});

describe('what it costs', () => {
  it('reads each of 1,000 keys once in each instance and writes it once, however often they are used', async () => {
    const instances = [instance(), instance()];
    const keys = Array.from({ length: 1000 }, (_, index) => keyOf(`key_cost${index}`));
    const requests = 5;
    for (let round = 0; round < requests; round++) {
      for (let left = 0; left < keys.length; left += 16) {
        for (const { record } of instances) for (const key of keys) record(key, now);
        await Promise.all(instances.map(({ settled }) => settled()));
      }
    }
    const count = (operation: string) =>
      instances.flatMap(({ sent }) => sent).filter((one) => one === operation).length;
    expect(count('GetItem')).toBe(2000);
    // Instances that use a key in the same moment both write it. One of the writes fails.
    expect(count('UpdateItem')).toBeGreaterThanOrEqual(1000);
    const third = instance();
    third.record(keys[0] ?? keyOf(''), now);
    await third.settled();
    expect(third.sent).toEqual(['GetItem']);
    expect(third.units).toEqual([0.5]);
  });
});
