import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { gatewayErrors } from '../../../contract/gateway-errors.ts';
import { recordCalls } from '../../../lab/prove/aws.ts';
import { findCaller, look } from '../../../lab/prove/look.ts';
import { askAll, proofs } from '../../../lab/prove/proofs.ts';
import type { RunRecord } from '../../../lab/prove/run-record.ts';
import type { World } from '../../../lab/prove/world.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const issuer = 'https://api.example.com/live';
const tokenUrl = `${issuer}/api/v1/oauth/token`;
const secret = 'secret-of-a-trial';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** By the spec of KMS. */
const pairs: Readonly<Record<string, { publicKey: KeyObject; privateKey: KeyObject }>> = {
  RSA_2048: { publicKey, privateKey },
  ECC_NIST_P256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ML_DSA_44: generateKeyPairSync('ml-dsa-44'),
};
const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'current' }] };

/** The suite `prove` compares the calls with AWS's models, which need Python. */
const calls = process.env['PROVE_CALLS'] ?? '/dev/null';

/** By key id. */
const tokens: Record<string, Promise<string>> = {};

/** What AWS and the service do, if a proof is to pass. */
const right = {
  stack: 'CREATE_COMPLETE',
  health: 200,
  tokens: 200,
  /** The alarms when all are listed, and one that was made to ring. */
  quiet: 'OK',
  rung: 'ALARM',
  lines: ['{"tls_version":"TLSv1.3"} REPORT RequestId: 1 Billed Duration: 9 ms'] as string[],
  shown: (id: string) => id,
  signature: (bytes: Buffer) => bytes,
  executions: 1000,
  lists: true,
  replicates: true,
  oldCipher: '',
  throttleFrom: 20,
  longForm: 403,
  forged: 401,
  message: '{"AlarmName":"trial-slc-api-errors"}',
  untagged: 'next',
  rotated: 'next',
  weights: { 2: 0.1 } as Record<string, number>,
  rollsBack: true,
  restored: true,
  createdAt: () => 1,
};
type Behaviour = typeof right;

/** A service of AWS that gives the same answers to every call. */
const give = (answers: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, async () => answer]));

const restorable = { PointInTimeRecoveryDescription: { LatestRestorableDateTime: new Date(4e12) } };

/** A world in which time passes only by waiting. */
function makeWorld(change: Partial<Behaviour>): World {
  const now = { ...right, ...change };
  const start = { time: 1.8e12, kid: 'current', requests: 0, version: 1 };
  const state = { ...start, enabled: true, deleted: false, isBad: false };
  const token = () => {
    const { kid } = state;
    tokens[kid] ??= new SignJWT({ iss: issuer, aud: 'api' })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
      .sign(privateKey);
    return tokens[kid];
  };
  const gatewayError = (type: string) =>
    JSON.stringify(gatewayErrors.find((error) => error.type === type)?.body);
  const respond = (body: string, status = 200) =>
    new Response(body, { status, headers: { 'x-amzn-requestid': '1' } });
  const answerToken = async (init: RequestInit) => {
    const form = init.body as URLSearchParams;
    if (form.has('filler')) return respond(gatewayError('WAF_FILTERED'), now.longForm);
    const isRefused = state.isBad && form.has('audience');
    const status = state.deleted || isRefused ? 401 : now.tokens;
    return respond(status === 200 ? JSON.stringify({ access_token: await token() }) : '{}', status);
  };
  const fetch = async (input: string | URL, init: RequestInit = {}) => {
    const url = String(input);
    if (url === 'probe') {
      const isForged = JSON.stringify(init.headers).includes('AAAAAAAA');
      return respond('', isForged ? now.forged : 200);
    }
    if (url === 'other') return respond('', state.enabled || !now.replicates ? 200 : 401);
    if (url === tokenUrl) return init.method === 'POST' ? answerToken(init) : respond('', 405);
    if (url.endsWith('/health')) return respond('', now.health);
    if (url.endsWith('jwks.json')) return respond(JSON.stringify(jwks));
    state.requests += 1;
    const isThrottled = state.requests > now.throttleFrom;
    return isThrottled ? respond(gatewayError('THROTTLED'), 429) : respond('{}');
  };
  vi.stubGlobal('fetch', fetch);
  const services = {
    cloudformation: { describeStacks: async () => ({ Stacks: [{ StackStatus: now.stack }] }) },
    cloudwatch: {
      describeAlarms: async ({ AlarmNamePrefix = '' }) => {
        const StateValue = AlarmNamePrefix.endsWith('-') ? now.quiet : now.rung;
        return { MetricAlarms: [{ AlarmName: AlarmNamePrefix, StateValue }] };
      },
    },
    logs: {
      filterLogEvents: async () => ({ events: now.lines.map((message) => ({ message })) }),
      describeLogGroups: async () => ({ logGroups: [{ creationTime: now.createdAt() }] }),
    },
    kms: {
      createKey: async ({ KeySpec = '' }) => ({ KeyMetadata: { KeyId: KeySpec } }),
      getPublicKey: async ({ KeyId = '' }) => ({
        PublicKey: pairs[KeyId]?.publicKey.export({ format: 'der', type: 'spki' }),
      }),
      sign: async ({ KeyId = '', Message = Buffer.alloc(0), SigningAlgorithm = '' }) => {
        const key = pairs[KeyId]?.privateKey as KeyObject;
        const pss = SigningAlgorithm.includes('PSS') ? { padding: 6, saltLength: 32 } : {};
        const hash = KeyId === 'ML_DSA_44' ? undefined : 'sha256';
        return { Signature: now.signature(sign(hash, Message, { key, ...pss })) };
      },
      disableKey: async () => ({}),
      untagResource: async () => {
        state.kid = now.untagged;
      },
      tagResource: async () => {
        state.kid = 'current';
      },
    },
    lambda: {
      getAccountSettings: async () => ({
        AccountLimit: { UnreservedConcurrentExecutions: now.executions },
      }),
      invoke: async () => ({ FunctionError: 'Unhandled' }),
      getAlias: async () => ({
        FunctionVersion: String(state.version),
        RoutingConfig: { AdditionalVersionWeights: now.weights },
      }),
    },
    dynamodb: give({
      describeContinuousBackups: { ContinuousBackupsDescription: restorable },
      restoreTableToPointInTime: {},
      describeTable: { Table: { TableStatus: 'ACTIVE' } },
    }),
    sqs: { receiveMessage: async () => ({ Messages: [{ Body: now.message }] }) },
  };
  const recorded = recordCalls(services, calls);
  const made: string[] = [];
  const authctl: World['authctl'] = async (...args) => {
    const command = args.slice(0, 2).join(' ');
    const id = args[2] ?? '';
    if (command === 'client create') made.push(`client_${made.length}`);
    if (command === 'client disable') state.enabled = false;
    if (command === 'client enable') state.enabled = true;
    if (command === 'client delete') state.deleted = true;
    if (command === 'table restore') state.deleted = !now.restored;
    if (args.join(' ') === 'signing-key rotate --region slc') state.kid = now.rotated;
    if (command === 'signing-key list') {
      const key = { kid: 'current', region: 'slc', state: 'current', kms_key_arn: 'arn:key/key' };
      return { items: [{ ...key, kid: 'other', region: 'dfw' }, key] };
    }
    const items = now.lists ? made.map((client_id) => ({ client_id })) : [];
    return { client_id: command === 'client create' ? made.at(-1) : now.shown(id), items };
  };
  return {
    issuer,
    tokenUrl,
    jwksUri: `${issuer}/jwks.json`,
    audience: 'api',
    authctl,
    aws: () => recorded,
    pause: async (seconds) => {
      state.time += seconds * 1000;
      await new Promise(setImmediate);
    },
    clock: () => state.time,
    name: 'trial',
    awsRegion: 'us-west-2',
    deployedIn: 1,
    client: { clientId: 'client', clientSecret: secret },
    otherTokenUrl: 'other',
    logGroups: [
      '/aws/apigateway/trial/access',
      'aws-waf-logs-trial',
      ...['token', 'key-rotation', 'canary', 'synthetic-check'].map(
        (one) => `/aws/lambda/trial-${one}`,
      ),
    ],
    probe: { JwtApi: 'probe', AlarmQueue: 'queue', DeclaredClient: 'declared' },
    shakeHands: async (_host, { ciphers }) => {
      if (ciphers !== undefined && now.oldCipher === '') throw new Error('handshake failure');
      return ciphers === undefined ? 'ECDHE-RSA-AES128-GCM-SHA256' : now.oldCipher;
    },
    intend: () => undefined,
    redeploy: async (change) => {
      state.isBad = 'audienceParameter' in change;
      await new Promise((done) => setTimeout(done));
      const isRolledBack = state.isBad && now.rollsBack;
      state.isBad = false;
      if (isRolledBack) throw new Error('UPDATE_ROLLBACK_COMPLETE');
      state.version += 1;
    },
    deployAnew: async () => undefined,
  };
}

const broken = { signature: (bytes: Buffer) => Buffer.alloc(bytes.length) };
const credential = `"authorization":"Basic ${'QUFB'.repeat(4)}" ${secret}`;

/** By id: what AWS does, if the sentence of the proof is not true. */
const faults: Readonly<Record<string, Partial<Behaviour>>> = {
  deploys: { stack: 'ROLLBACK_COMPLETE' },
  routes: { health: 503 },
  'alarms-at-creation': { quiet: 'ALARM' },
  schedules: { lines: [] },
  'declared-client': { shown: () => 'another' },
  'token-times': { tokens: 503 },
  'lambda-reports': { lines: ['START'] },
  'sign-rs256': broken,
  'sign-ps256': broken,
  'sign-es256': broken,
  'sign-ml-dsa-44': broken,
  quotas: { executions: 9 },
  'index-lag': { lists: false },
  replication: { replicates: false },
  tls: { oldCipher: 'AES128-GCM-SHA256' },
  'access-log': { lines: [`{${credential}}`] },
  throttle: { throttleFrom: 1000 },
  'web-acl': { lines: [`{${credential}}`] },
  'jwt-authorizer': { forged: 200 },
  'alarm-flood': { rung: 'OK' },
  'alarm-math': { rung: 'INSUFFICIENT_DATA' },
  'alarm-disabled-key': { rung: 'OK' },
  'alarm-thrown-error': { rung: 'OK' },
  'alarm-arrives': { message: '' },
  'lost-key-tag': { untagged: 'current' },
  rotation: { rotated: 'current' },
  'gradual-shift': { weights: {} },
  rollback: { rollsBack: false },
  restore: { restored: false },
  import: { createdAt: Math.random },
};

/** @returns the answer to one proof. */
async function ask(id: string, change: Partial<Behaviour>) {
  const folder = temporaryDirectory();
  const record = { folder, answers: {}, things: {}, facts: {} } as unknown as RunRecord;
  const proof = proofs.filter((one) => one.id === id);
  await askAll(makeWorld(change), record, { isEmulator: false, say: () => undefined }, proof);
  return record.answers[id];
}

describe.each(Object.entries(faults))('the proof %s', (id, fault) => {
  it('passes if the sentence is true', async () => {
    const lines = id === 'access-log' ? ['{"tls_version":"TLSv1.3"}'] : right.lines;
    expect(await ask(id, { lines })).toMatchObject({ result: 'passed' });
  });

  it('fails if it is not, and its reason has no secret', async () => {
    const answer = await ask(id, fault);
    expect(answer).toMatchObject({ result: 'failed' });
    expect(JSON.stringify(answer)).not.toContain(secret);
  });
});

it('each proof that the command can ask is seen to fail; the others say what they need', () => {
  const hidden = proofs.filter(({ check, needs }) => check === undefined && needs === undefined);
  expect(hidden).toEqual([]);
  expect(Object.keys(faults)).toEqual(proofs.flatMap(({ id, check }) => (check ? id : [])));
});

it.each([
  [1000, undefined],
  [10, { management: 'none' }],
])('a look at an account with a quota of %i says what is missing', async (limit, reserved) => {
  vi.stubGlobal(
    'fetch',
    async () => new Response('', { headers: { date: new Date(0).toUTCString() } }),
  );
  const role = 'arn:aws:iam::111122223333:role/path/a';
  const caller = { Account: '111122223333', Arn: 'arn:aws:sts::111122223333:assumed-role/a/b' };
  const denied = { EvalDecision: 'implicitDeny', EvalActionName: 'kms:CreateKey' };
  const quota = { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: limit };
  const services = recordCalls(
    {
      sts: give({ getCallerIdentity: caller }),
      iam: give({
        getRole: { Role: { Arn: role } },
        simulatePrincipalPolicy: { EvaluationResults: [denied] },
      }),
      lambda: give({ getAccountSettings: { AccountLimit: quota } }),
      cloudformation: give({ describeStacks: { Stacks: [{ StackName: 'prove-1-slc' }] } }),
    },
    calls,
  );
  const wanted = {
    ...(await findCaller(services)),
    name: 'trial',
    awsRegions: ['us-west-2'],
  } as const;
  const { facts, request } = await look(services, wanted);
  expect(facts['permissions of the caller']).toBe('not kms:CreateKey');
  expect(facts['stacks of other runs']).toBe('prove-1-slc');
  expect(request.breakGlassRoleArn).toBe(role);
  expect(request.lines?.reservedConcurrency).toEqual(reserved);
});
