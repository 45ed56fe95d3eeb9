import { createServer, request } from 'node:http';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { GetFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AccessKey } from '../../../../lab/emulator/aws-server/access-key.ts';
import type { NamedPolicy } from '../../../../lab/emulator/iam/evaluate-request.ts';
import { closeServer, listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';
import { CallRecord } from '../../../../lab/ministack/permissions/call-record.ts';
import type { DeployedAccount } from '../../../../lab/ministack/permissions/deployed-account.ts';
import { functionKey } from '../../../../lab/ministack/permissions/function-key.ts';
import {
  type PermissionGate,
  startPermissionGate,
} from '../../../../lab/ministack/permissions/permission-gate.ts';

const region = 'us-west-2';
const functionArn = `arn:aws:lambda:${region}:000000000000:function:token`;
const keyId = '11111111-2222-4333-8444-555555555555';
const session = 'arn:aws:sts::000000000000:assumed-role/token-role/token';

function policy(name: string, ...Statement: readonly object[]): NamedPolicy {
  return { name, document: { Version: '2012-10-17', Statement } };
}

const allow = (Action: string, Condition?: object) => ({
  Effect: 'Allow',
  Action,
  Resource: '*',
  ...(Condition !== undefined && { Condition }),
});

/** What is deployed; a test changes it. */
let role: readonly NamedPolicy[];
let boundary: NamedPolicy | undefined;
let keyPolicy: object;
/** Milliseconds. */
let time: number;

const deployed: DeployedAccount = {
  roleOf: () =>
    Promise.resolve({ arn: 'arn:aws:iam::000000000000:role/token-role', policies: role, boundary }),
  managedPolicy: (name) => Promise.resolve(policy(name, allow('dynamodb:GetItem'))),
  key: (_, id) =>
    Promise.resolve(
      id === keyId
        ? {
            keyId,
            region,
            keySpec: 'RSA_2048',
            policy: JSON.stringify({ Version: '2012-10-17', Statement: [keyPolicy] }),
            tags: [{ TagKey: 'deployment', TagValue: 'one' }],
          }
        : undefined,
    ),
  partitionKey: () => Promise.resolve('id'),
};

let record: CallRecord;
let gate: PermissionGate;
/** Requests that reached the emulator. */
let forwarded: string[];

beforeEach(async () => {
  role = [policy('token-role/own', allow('dynamodb:GetItem'))];
  boundary = undefined;
  time = 0;
  keyPolicy = {
    Effect: 'Allow',
    Principal: { AWS: 'arn:aws:iam::000000000000:root' },
    Action: 'kms:*',
    Resource: '*',
  };
  record = new CallRecord();
  forwarded = [];
  const emulator = createServer((message, response) => {
    forwarded.push(String(message.headers['x-amz-target'] ?? `${message.method} ${message.url}`));
    message.resume();
    message.on('end', () => response.writeHead(200, { 'x-emulator': 'yes' }).end('{}'));
  });
  const port = await listenOnLoopback(emulator);
  gate = await startPermissionGate({ emulatorPort: port, deployed, record, clock: () => time });
  onTestFinished(async () => {
    await gate.close();
    await closeServer(emulator);
  });
});

/** Options of a client of the SDK. By default it has the function's own access key. */
function options(credentials: AccessKey = ownKey()) {
  return { region, endpoint: gate.endpoint, credentials, maxAttempts: 1 };
}

function ownKey(arn = functionArn): AccessKey {
  return functionKey(arn, gate.variables['FUNCTION_KEY_SECRET'] ?? '');
}

const item = { TableName: 'clients', Key: { id: { S: 'a' } } };
const digest = {
  KeyId: keyId,
  Message: Buffer.alloc(32),
  MessageType: 'DIGEST',
  SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
} as const;

function getItem(credentials?: AccessKey) {
  return new DynamoDBClient(options(credentials)).send(new GetItemCommand(item));
}

function sign(credentials?: AccessKey) {
  return new KMSClient(options(credentials)).send(new SignCommand(digest));
}

describe('a call of a deployed function', () => {
  it('reaches the emulator if the role allows it', async () => {
    await getItem();
    expect(forwarded).toEqual(['DynamoDB_20120810.GetItem']);
    expect(record.decisions.map(({ principal, result }) => [principal, result])).toEqual([
      [session, 'Allowed'],
    ]);
    expect(record.problems).toEqual([]);
  });

  it('gets the error of AWS if the role does not allow it', async () => {
    await expect(sign()).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: ${session} is not authorized to perform: kms:Sign on resource: arn:aws:kms:${region}:000000000000:key/${keyId} because no identity-based policy allows the kms:Sign action`,
    });
    expect(forwarded).toEqual([]);
    expect(record.problems).toEqual([
      `denied: ${session} kms:Sign arn:aws:kms:${region}:000000000000:key/${keyId}`,
    ]);
  });

  it('is denied by a permissions boundary', async () => {
    boundary = policy('boundary', allow('kms:*'));
    await expect(getItem()).rejects.toThrow(/because no permissions boundary allows/);
  });

  it('is allowed by a new permission at once, and denied a second after it was taken', async () => {
    await getItem();
    role = [policy('token-role/own', allow('dynamodb:GetItem'), allow('kms:Sign'))];
    await sign();
    role = [];
    time += 999;
    await getItem();
    time += 1;
    await expect(getItem()).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(forwarded).toHaveLength(3);
  });
});

describe('the administrator', () => {
  it('is limited by the key policy', async () => {
    keyPolicy = { ...keyPolicy, Principal: { AWS: 'arn:aws:iam::000000000000:role/token-role' } };
    await expect(sign(gate.administrator)).rejects.toThrow(/because no resource-based policy/);
    await getItem(gate.administrator);
    expect(forwarded).toEqual(['DynamoDB_20120810.GetItem']);
  });
});

/** Sends a request without the SDK. @returns the status. */
function send(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, gate.endpoint), { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end('{}');
  });
}

describe('a way past the decision', () => {
  const target = { 'x-amz-target': 'DynamoDB_20120810.GetItem' };
  const signedFor = (service: string) => ({
    authorization: `AWS4-HMAC-SHA256 Credential=x/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
  });
  const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'the credentials that the emulator gives to every function',
      () => getItem({ accessKeyId: '000000000000', secretAccessKey: 'test' }),
    ],
    ['no signature', () => send('POST', '/', target)],
    ['a signature for another service', () => send('POST', '/', signedFor('sns'))],
    [
      'another operation of Lambda',
      () => new LambdaClient(options()).send(new GetFunctionCommand({ FunctionName: 'token' })),
    ],
  ];

  it.each(ways)('%s is refused, and fails the run', async (_, call) => {
    const outcome = await call().catch((error: Error) => error);
    if (typeof outcome === 'number') expect(outcome).toBe(403);
    else expect(outcome).toBeInstanceOf(Error);
    expect(forwarded).toEqual([]);
    expect(record.problems).toHaveLength(1);
    expect(() => record.check([])).toThrow();
  });

  it('the access key of another function is refused', async () => {
    const { secretAccessKey } = ownKey(`${functionArn}-2`);
    await expect(getItem({ ...ownKey(), secretAccessKey })).rejects.toMatchObject({
      name: 'InvalidSignatureException',
    });
    expect(forwarded).toEqual([]);
  });

  it('is not the answer of a custom resource to CloudFormation', async () => {
    expect(await send('PUT', '/_ministack/cfn-response/abc', {})).toBe(200);
    expect(record.problems).toEqual([]);
  });
});

it('the record of a run fails if no call of a function was decided, and if the emulator got another', async () => {
  await getItem(gate.administrator);
  expect(() => record.check([])).toThrow(/no call of a function was decided/);
  await getItem();
  const { accessKeyId } = ownKey();
  expect(() => record.check([accessKeyId, 'test', 'test'])).not.toThrow();
  expect(() => record.check([accessKeyId, accessKeyId])).toThrow(/received 2 calls .* 1 were/);
});
