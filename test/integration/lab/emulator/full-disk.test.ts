import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tableName } from '../../../../contract/tables.ts';
import { startDynamoDb } from '../../../../lab/emulator/dynamodb.ts';
import { startKms } from '../../../../lab/emulator/kms/kms-server.ts';
import { openLogFile } from '../../../../lab/local/log-file.ts';
import { createTables } from '../../../../lab/support/create-tables.ts';
import { basic } from '../../../../lab/support/token-request.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../../support/small-disk.ts';
import { testAccessKey } from '../../../support/test-access-key.ts';
import { runCli } from '../../cli/use-authctl.ts';
import { sourceDemoEnvironment, spawnLocal, started, stop } from '../local/spawned-run.ts';

const why = whyNoSmallDisk();
if (why !== undefined) process.stderr.write(`skipped: a full disk (no tmpfs here: ${why})\n`);

function useDisk(megabytes: number): SmallDisk {
  const disk = makeSmallDisk(megabytes);
  onTestFinished(() => disk.remove());
  return disk;
}

const client = { region: 'us-west-2', credentials: testAccessKey, maxAttempts: 1 };
const TableName = tableName('local', 'clients');
const unavailable = { name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } };

describe.skipIf(why !== undefined)('a full disk', () => {
  it('is 503 of DynamoDB until there is room, and loses nothing that was acknowledged', async () => {
    const disk = useDisk(8);
    const directory = join(disk.path, 'dynamodb');
    const notes: string[] = [];
    const onStorage = (text: string) => notes.push(text);
    const start = () => startDynamoDb({ accessKey: testAccessKey, directory, onStorage });
    const first = await start();
    const dynamodb = new DynamoDBClient({ ...client, endpoint: first.endpoint });
    onTestFinished(() => dynamodb.destroy());
    await createTables(dynamodb, 'local');
    const put = (id: string) =>
      dynamodb.send(
        new PutItemCommand({
          TableName,
          Item: { client_id: { S: id }, name: { S: 'x'.repeat(2000) } },
        }),
      );
    const kept: string[] = [];
    const putAndKeep = async (id: string) => {
      await put(id);
      kept.push(id);
    };
    for (let index = 0; index < 50; index += 1) await putAndKeep(`before-${index}`);
    disk.fill();
    // What the file system had set aside may still take some.
    await expect(
      (async () => {
        for (let index = 0; index < 1000; index += 1) await putAndKeep(`while-${index}`);
      })(),
    ).rejects.toMatchObject(unavailable);
    const many = Array.from({ length: 20 }, (_, index) => put(`many-${index}`));
    const outcomes = await Promise.allSettled(many);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'));
    await expect(
      dynamodb.send(new GetItemCommand({ TableName, Key: { client_id: { S: 'before-0' } } })),
    ).rejects.toMatchObject(unavailable);
    expect(notes).toEqual([
      `DynamoDB cannot write to ${directory}: no space left on device. It answers 503 until there is room.`,
    ]);
    disk.free();
    const isTaken = () =>
      putAndKeep('after').then(
        () => true,
        () => false,
      );
    await expect.poll(isTaken).toBe(true);
    expect(notes.slice(1)).toEqual([`DynamoDB writes to ${directory} again.`]);
    await first.close();

    const second = await start();
    onTestFinished(() => second.close());
    const again = new DynamoDBClient({ ...client, endpoint: second.endpoint });
    onTestFinished(() => again.destroy());
    for (const id of kept) {
      const Key = { client_id: { S: id } };
      const { Item } = await again.send(new GetItemCommand({ TableName, Key }));
      expect(Item, id).toBeDefined();
    }
  });

  it('is 503 of KMS, and leaves no half of a key', async () => {
    const disk = useDisk(1);
    const directory = join(disk.path, 'kms');
    const notes: string[] = [];
    const onStorage = (text: string) => notes.push(text);
    const server = await startKms({ accessKey: testAccessKey, directory, onStorage });
    const kms = new KMSClient({ ...client, endpoint: server.endpoint });
    onTestFinished(() => kms.destroy());
    const create = () =>
      kms.send(new CreateKeyCommand({ KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }));
    await create();
    disk.fill();
    await expect(create()).rejects.toMatchObject(unavailable);
    await expect(create()).rejects.toMatchObject(unavailable);
    disk.free();
    await create();
    expect(notes).toEqual([
      `KMS cannot write to ${directory}: no space left on device. It answers 503 until there is room.`,
      `KMS writes to ${directory} again.`,
    ]);
    await server.close();
    const again = await startKms({ accessKey: testAccessKey, directory });
    await again.close();
  });

  it('does not end npm start, which says what is full and goes on when there is room', async () => {
    const disk = useDisk(16);
    const state = join(disk.path, '.local');
    const run = spawnLocal(['--state', state]);
    onTestFinished(() => stop(run));
    await started(run);
    const { TOKEN_URL = '', ...environment } = sourceDemoEnvironment(state);
    const { CLIENT_ID = '', CLIENT_SECRET = '' } = environment;
    const requestToken = () =>
      fetch(TOKEN_URL, {
        method: 'POST',
        headers: { authorization: basic(CLIENT_ID, CLIENT_SECRET) },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    const create = () =>
      runCli('client create --name A --trunk-group tg --scope calls:view --local'.split(' '), {
        cwd: disk.path,
      });
    expect((await create()).exitCode).toBe(0);
    disk.fill();
    await expect.poll(async () => (await create()).exitCode).toBe(1);
    const refused = await requestToken();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    await expect
      .poll(() => run.errors())
      .toContain(`DynamoDB cannot write to ${join(state, 'dynamodb')}: no space left on device.`);
    disk.free();
    await expect.poll(async () => (await requestToken()).status, { interval: 200 }).toBe(200);
    expect((await create()).exitCode).toBe(0);
    await expect.poll(() => run.errors()).toContain('DynamoDB writes to ');
    expect(run.child.exitCode).toBeNull();
    expect(run.errors()).not.toMatch(/^ +at /m);
  });

  it('costs the log its lines, and nothing else', async () => {
    const disk = useDisk(1);
    const path = join(disk.path, 'log.jsonl');
    const notes: string[] = [];
    const log = openLogFile(path, (text) => notes.push(text));
    const message = 'x'.repeat(1000);
    log.write({ message: 'before' });
    disk.fill();
    // The last block of the file takes some lines, and a part of one.
    for (let index = 0; index < 10; index += 1) log.write({ message });
    disk.free();
    log.write({ message: 'after' });
    log.write({ message: 'at the end' });
    await log.close();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const read = (line = '') => (JSON.parse(line) as { readonly message: string }).message;
    expect(read(lines[0])).toBe('before');
    expect(lines.slice(-2).map(read)).toEqual(['after', 'at the end']);
    expect(notes).toEqual([
      `The log cannot write to ${path}: no space left on device. Its lines are lost.`,
      `The log writes to ${path} again.`,
    ]);
  });

  it('is said by npm start before anything runs', async () => {
    const disk = useDisk(1);
    disk.fill();
    const state = join(disk.path, '.local');
    const run = spawnLocal(['--state', state]);
    onTestFinished(() => stop(run));
    expect(await run.ended).toBe(1);
    expect(run.errors()).toBe(
      `npm start: there is no space for the state in ${state}; free some, or select another folder with --state\n`,
    );
  });
});
