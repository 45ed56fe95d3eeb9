import { constants, createPublicKey, verify } from 'node:crypto';
import type { KeySpec, SigningAlgorithmSpec } from '@aws-sdk/client-kms';
import { decodeProtectedHeader } from 'jose';
import { maxTokenFormBytes } from '../../contract/bounds.ts';
import { functionName, liveAlias, stackName } from '../../contract/function-names.ts';
import { gatewayErrors } from '../../contract/gateway-errors.ts';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { healthPath, openidConfigurationPath, tokenPath } from '../../contract/routes.ts';
import { deployedTableName } from '../../contract/tables.ts';
import { alarmName } from '../../lib/monitoring/service-alarm.ts';
import { percentile } from '../bench/statistics.ts';
import { verifyToken } from '../ministack/proof.ts';
import { fetchToken, requestToken } from '../support/token-request.ts';
import { regionId } from './deployment.ts';
import { type Asked, type Check, expect, type World } from './world.ts';

const getToken = ({ tokenUrl, client }: World) => fetchToken(tokenUrl, client);
/** Under which only the first region is served. */
const originOf = ({ tokenUrl }: World) => tokenUrl.slice(0, -tokenPath.length);
const kidOf = async (world: World) => decodeProtectedHeader(await getToken(world)).kid;

/** Does something some times. @returns how long it took. */
async function time({ clock }: World, times: number, work: () => Promise<unknown>) {
  const took: number[] = [];
  while (took.length < times) {
    const startedAt = clock();
    await work();
    took.push(clock() - startedAt);
  }
  const [first = 0] = took;
  return { 'first ms': first, 'p50 ms': percentile(took, 0.5), 'p95 ms': percentile(took, 0.95) };
}

/** A log group of the templates. */
function logGroupOf({ logGroups }: World, name: RegExp): string {
  const found = logGroups.find((one) => name.test(one));
  if (found === undefined) throw new Error(`no log group has a name like ${name.source}`);
  return found;
}

/** Lines of the last hour, when there are some. */
function findLines(world: Asked, group: RegExp, text: string): Promise<readonly string[]> {
  const logGroupName = logGroupOf(world, group);
  const search = { logGroupName, filterPattern: `"${text}"`, startTime: world.clock() - 3_600_000 };
  return world.within(`a line with ${text} in ${logGroupName}`, async () => {
    const { events = [] } = await world.aws().logs.filterLogEvents(search);
    return events.length > 0 && events.map(({ message = '' }) => message);
  });
}

async function expectError(response: Response, type: string, status: number): Promise<void> {
  const body = await response.text();
  const own = gatewayErrors.find((error) => error.type === type)?.body;
  expect(response.status === status && body === JSON.stringify(own), `${response.status}: ${body}`);
}

/** Requests for a document, all at once. */
const flood = (world: World, requests: number): Promise<readonly Response[]> => {
  const url = originOf(world) + openidConfigurationPath;
  return Promise.all(Array.from({ length: requests }, () => fetch(url)));
};

/** Makes a key, which the record finds by its tag. */
async function createKey({ awsRegion, name, intend, aws }: World, spec: KeySpec): Promise<string> {
  intend({ kind: 'keys', name, awsRegion });
  const Tags = [{ TagKey: kmsKeyTags.deployment, TagValue: name }];
  const creation = { KeySpec: spec, KeyUsage: 'SIGN_VERIFY' as const, Tags };
  return (await aws().kms.createKey(creation)).KeyMetadata?.KeyId ?? '';
}

/** A key of KMS signs, and Node verifies. @param more how Node must be told to verify. */
const signsWith =
  (spec: KeySpec, SigningAlgorithm: SigningAlgorithmSpec, hash?: string, more = {}): Check =>
  async (world) => {
    const { kms } = world.aws();
    const KeyId = await createKey(world, spec);
    const { PublicKey } = await kms.getPublicKey({ KeyId });
    const key = createPublicKey({ key: Buffer.from(PublicKey ?? ''), format: 'der', type: 'spki' });
    const Message = Buffer.from('a token of a trial');
    return time(world, 20, async () => {
      const request = { KeyId, Message, MessageType: 'RAW', SigningAlgorithm } as const;
      const { Signature = '' } = await kms.sign(request);
      const isRight = verify(hash, Message, { key, ...more }, Buffer.from(Signature));
      expect(isRight, `a signature of ${SigningAlgorithm} does not verify`);
    });
  };

/** Names of the alarms that are on. @throws {Error} if there are no alarms. */
async function listRinging(world: World, id = ''): Promise<readonly string[]> {
  const AlarmNamePrefix = alarmName({ deploymentName: world.name, regionId }, id);
  const request = { AlarmNamePrefix, MaxRecords: 100 };
  const { MetricAlarms: all = [] } = await world.aws().cloudwatch.describeAlarms(request);
  expect(all.length > 0, `there is no alarm ${AlarmNamePrefix}`);
  return all.flatMap(({ AlarmName = '', StateValue }) => (StateValue === 'ALARM' ? AlarmName : []));
}

/** Does what is bad, again and again, until the alarm is on. */
async function ring(world: Asked, id: string, doBad: () => Promise<unknown>) {
  await world.within(`the alarm ${id} rings`, async () => {
    await doBad();
    await world.pause(10);
    return (await listRinging(world, id)).length > 0;
  });
  return { alarm: id };
}

/** Deploys while a client gets tokens. @returns how it ended, and what the alias did meanwhile. */
async function deployInUse(world: World, change: object, parameters = {}) {
  const Name = { FunctionName: functionName(world.name, 'token'), Name: liveAlias };
  const readAlias = () => world.aws().lambda.getAlias(Name);
  const { FunctionVersion: before } = await readAlias();
  const weights = new Set<number>();
  const refused: number[] = [];
  const deployment = world.redeploy(change).then(() => 'deployed', String);
  let end: string | undefined;
  while (end === undefined) {
    // A tenth of them is more than the least that the alarm of a version needs.
    const requests = Array.from({ length: 5 }, () =>
      requestToken(world.tokenUrl, world.client, parameters),
    );
    for (const { status } of await Promise.all(requests)) if (status !== 200) refused.push(status);
    const { RoutingConfig } = await readAlias();
    for (const weight of Object.values(RoutingConfig?.AdditionalVersionWeights ?? {})) {
      weights.add(weight);
    }
    end = (await Promise.race([deployment, world.pause(2)])) ?? undefined;
  }
  const { FunctionVersion: after } = await readAlias();
  expect(weights.has(0.1), `weights of the new version: ${[...weights].join(', ') || 'none'}`);
  return { before, after, end, refused: refused.length };
}

/** How each thing is asked, by its id: proofs.json says what it shows. */
export const checks: Readonly<Record<string, Check>> = {
  deploys: async ({ aws, name, deployedIn }) => {
    const StackName = stackName(name, regionId);
    const { Stacks: [stack] = [] } = await aws().cloudformation.describeStacks({ StackName });
    const status = stack?.StackStatus ?? 'not there';
    expect(/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status), `the stack is ${status}`);
    return { status, 'deployed in s': deployedIn };
  },

  routes: async (world) => {
    const origin = originOf(world);
    const urls = [healthPath, openidConfigurationPath, tokenPath].map((path) => origin + path);
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
    expect(String(statuses) === '200,200,405', `GET of ${String(urls)}: ${String(statuses)}`);
    const { protectedHeader } = await verifyToken(await getToken(world), world);
    return { algorithm: protectedHeader.alg };
  },

  'alarms-at-creation': async (world) => {
    const rang = new Set<string>();
    await world.within('no alarm is on', async () => {
      const ringing = await listRinging(world);
      for (const name of ringing) rang.add(name);
      return ringing.length === 0;
    });
    return { 'rang at creation': [...rang].sort().join(', ') || 'none' };
  },

  schedules: async (world) => {
    for (const name of ['key-rotation', 'canary', 'synthetic-check'] as const) {
      await findLines(world, new RegExp(`/${functionName(world.name, name)}$`), 'REPORT');
    }
  },

  'declared-client': async (world) => {
    const id = world.probe['DeclaredClient'] ?? '';
    const { client_id: found } = await world.authctl('client', 'show', id);
    expect(found === id, `authctl shows ${String(found)}, and the stack ${id}`);
  },

  // One after the other, as a caller far from AWS sees them.
  'token-times': (world) => time(world, 100, () => getToken(world)),

  'lambda-reports': async (world) => {
    await getToken(world);
    const lines = await findLines(world, /-token$/, 'REPORT RequestId');
    const values = (name: string) =>
      lines.flatMap((line) => {
        const value = new RegExp(`\\b${name}: ([\\d.]+)`).exec(line)?.[1];
        return value === undefined ? [] : Number(value);
      });
    const [billed, starts] = [values('Billed Duration'), values('Init Duration')];
    expect(billed.length > 0, `no report has a billed duration: ${lines[0]}`);
    return {
      reports: lines.length,
      starts: starts.length,
      ...(starts.length > 0 && { 'start p95 ms': percentile(starts, 0.95) }),
      'billed p50 ms': percentile(billed, 0.5),
      'billed p95 ms': percentile(billed, 0.95),
      'memory MB': Math.max(...values('Max Memory Used')),
    };
  },

  'sign-rs256': signsWith('RSA_2048', 'RSASSA_PKCS1_V1_5_SHA_256', 'sha256'),
  'sign-ps256': signsWith('RSA_2048', 'RSASSA_PSS_SHA_256', 'sha256', {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  }),
  'sign-es256': signsWith('ECC_NIST_P256', 'ECDSA_SHA_256', 'sha256'),
  'sign-ml-dsa-44': signsWith('ML_DSA_44', 'ML_DSA_SHAKE_256'),

  // Those that a deployment needs were looked at before it.
  quotas: async ({ aws }) => {
    const { AccountLimit: limit = {} } = await aws().lambda.getAccountSettings({});
    const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: free = 0 } = limit;
    expect(free >= 10, `Lambda allows ${all} executions at once, and ${free} without reservation`);
    return { 'Lambda at once': all, 'of them free': free };
  },

  'index-lag': async (world) => {
    const group = ['--trunk-group', `tg-${world.clock()}`];
    return time(world, 5, async () => {
      const choices = ['--name', 'Lag', '--scope', 'messaging:view', ...group];
      const { client_id: id } = await world.authctl('client', 'create', ...choices);
      await world.within('a list with the new client', async () => {
        const { items = [] } = await world.authctl('client', 'list', ...group);
        return (items as { client_id: string }[]).some((one) => one.client_id === id);
      });
    });
  },

  replication: async (world) => {
    const { authctl, client, otherTokenUrl = '' } = world;
    const gets = (expected: number) =>
      world.within(`status ${expected} in the other region`, async () => {
        const { status } = await requestToken(otherTokenUrl, client);
        return status === expected;
      });
    const after = async (command: 'disable' | 'enable', expected: number) => {
      await authctl('client', command, client.clientId);
      return (await time(world, 1, () => gets(expected)))['first ms'];
    };
    await gets(200);
    return { 'disabled ms': await after('disable', 401), 'enabled ms': await after('enable', 200) };
  },

  tls: async ({ tokenUrl, shakeHands }) => {
    const { host } = new URL(tokenUrl);
    const hybrid = { minVersion: 'TLSv1.3', ecdhCurve: 'X25519MLKEM768' } as const;
    const newest = await shakeHands(host, hybrid);
    const older = await shakeHands(host, { maxVersion: 'TLSv1.2' });
    expect(older.startsWith('ECDHE-'), `TLS 1.2 agreed on ${older}`);
    // Security level 0 lets this machine offer what the server must refuse.
    const refused = [
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256:AES256-SHA@SECLEVEL=0' },
    ] as const;
    for (const offer of refused) {
      const taken = await shakeHands(host, offer).catch(() => undefined);
      expect(taken === undefined, `took ${taken} of ${offer.maxVersion}`);
    }
    return { 'TLS 1.3, X25519MLKEM768': newest, 'TLS 1.2': older };
  },

  'access-log': async (world) => {
    const { headers } = await requestToken(world.tokenUrl, world.client);
    const requestId = headers.get('x-amzn-requestid') ?? '';
    expect(requestId !== '', 'the response has no x-amzn-requestid');
    const [line = ''] = await findLines(world, /^\/aws\/apigateway\/.*\/access$/, requestId);
    expect(!line.includes(world.client.clientSecret), 'the access log has the secret');
    const { tls_version: version, cipher_suite: suite } = JSON.parse(line) as Record<
      string,
      string
    >;
    return { 'TLS of the log': `${version} ${suite}` };
  },

  throttle: async (world) => {
    const refused = (await flood(world, 150)).filter(({ status }) => status !== 200);
    expect(refused.length > 0, 'none of 150 requests at once was throttled');
    for (const response of refused) await expectError(response, 'THROTTLED', 429);
    return { 'refused of 150': refused.length };
  },

  'web-acl': async (world) => {
    const filler = 'x'.repeat(maxTokenFormBytes + 1);
    const response = await requestToken(world.tokenUrl, world.client, { filler });
    await expectError(response, 'WAF_FILTERED', 403);
    const [line = ''] = await findLines(world, /^aws-waf-logs-/, 'body-size');
    expect(!/Basic [A-Za-z0-9+/]{12}/.test(line), "the web ACL's log has the credential");
  },

  'jwt-authorizer': async (world) => {
    const token = await getToken(world);
    const call = async (bearer: string) => {
      const headers = { authorization: `Bearer ${bearer}` };
      return (await fetch(world.probe['JwtApi'] ?? '', { headers })).status;
    };
    const statuses = [await call(token), await call(`${token.slice(0, -8)}AAAAAAAA`)];
    expect(String(statuses) === '200,401', `a token and a forged one got ${String(statuses)}`);
  },

  'alarm-flood': (world) => ring(world, 'gateway-throttled', () => flood(world, 60)),

  'alarm-math': (world) =>
    ring(world, 'invalid-client-share', async () => {
      const client = { ...world.client, clientSecret: 'not-the-secret' };
      for (let left = 10; left > 0; left -= 1) await requestToken(world.tokenUrl, client);
    }),

  'alarm-disabled-key': async (world) => {
    const KeyId = await createKey(world, 'RSA_2048');
    return ring(world, 'signing-key-disabled', () => world.aws().kms.disableKey({ KeyId }));
  },

  // No request makes a function end with an error, so its caller is not API Gateway.
  'alarm-thrown-error': (world) =>
    ring(world, 'jwks-function-errors', async () => {
      const FunctionName = functionName(world.name, 'jwks');
      const call = { FunctionName, Qualifier: liveAlias, Payload: Buffer.from('"no request"') };
      const { FunctionError } = await world.aws().lambda.invoke(call);
      expect(FunctionError !== undefined, 'the function took what is no request');
    }),

  'alarm-arrives': async (world) => {
    const request = { QueueUrl: world.probe['AlarmQueue'], WaitTimeSeconds: 5 };
    const alarm = await world.within('a message about an alarm', async () => {
      const { Messages: [message] = [] } = await world.aws().sqs.receiveMessage(request);
      return /AlarmName\\?":\s*\\?"([^"\\]+)/.exec(message?.Body ?? '')?.[1];
    });
    return { alarm };
  },

  'lost-key-tag': async (world) => {
    const { items } = await world.authctl('signing-key', 'list');
    type Key = Readonly<Record<'kid' | 'region' | 'state' | 'kms_key_arn', string>>;
    const keys = items as readonly Key[];
    const current = keys.find(({ region, state }) => region === regionId && state === 'current');
    if (current === undefined) throw new Error('no key is current');
    const [KeyId = '', TagKey] = [current.kms_key_arn.split('/')[1], kmsKeyTags.deployment];
    const signs = (isOwn: boolean, what: string) =>
      world.within(what, async () => ((await kidOf(world)) === current.kid) === isOwn);
    // Without its tag, the record would not find it.
    world.intend({ kind: 'key', name: KeyId, awsRegion: world.awsRegion });
    try {
      await world.aws().kms.untagResource({ KeyId, TagKeys: [TagKey] });
      await signs(false, 'another key signs');
    } finally {
      await world.aws().kms.tagResource({ KeyId, Tags: [{ TagKey, TagValue: world.name }] });
    }
    await signs(true, 'the repaired key signs');
  },

  rotation: async (world) => {
    const before = await kidOf(world);
    // It is refused until the key is eligible.
    await world.within('a rotation by command', () =>
      world.authctl('signing-key', 'rotate', '--region', regionId).catch(() => undefined),
    );
    await world.within('a token of another key', async () => (await kidOf(world)) !== before);
  },

  'gradual-shift': async (world) => {
    const memory = { tokenFunction: { memory: 1024 } };
    const { before, after, end, refused } = await deployInUse(world, memory);
    expect(end === 'deployed', end);
    expect(after !== before, `the alias stayed at version ${before}`);
    expect(refused === 0, `${refused} requests got no token`);
    return { versions: `${before} to ${after}` };
  },

  // To a config that refuses what clients send.
  rollback: async (world) => {
    const [bad, parameters] = [{ audienceParameter: 'refuse' }, { audience: world.audience }];
    const { before, after, end, refused } = await deployInUse(world, bad, parameters);
    expect(end !== 'deployed', 'the bad version was deployed');
    expect(refused > 0, 'the bad version refused nothing');
    expect(after === before, `the alias went from version ${before} to ${after}`);
    const { status } = await requestToken(world.tokenUrl, world.client, parameters);
    expect(status === 200, `after the rollback, a request gets ${status}`);
    return { 'refused by the bad version': refused };
  },

  restore: async (world) => {
    const { awsRegion, client, name, aws } = world;
    const { dynamodb } = aws();
    const TableName = deployedTableName({ name }, 'clients');
    const restored = `${name}-restored-clients`;
    const before = world.clock();
    await world.within('DynamoDB can restore this moment', async () => {
      const answer = await dynamodb.describeContinuousBackups({ TableName });
      const { PointInTimeRecoveryDescription: times } = answer.ContinuousBackupsDescription ?? {};
      return (times?.LatestRestorableDateTime?.getTime() ?? 0) > before;
    });
    await world.authctl('client', 'delete', client.clientId);
    world.intend({ kind: 'table', name: restored, awsRegion });
    const RestoreDateTime = new Date(before);
    const names = { SourceTableName: TableName, TargetTableName: restored };
    await dynamodb.restoreTableToPointInTime({ ...names, RestoreDateTime });
    await world.within('the restored table is active', async () => {
      const { Table } = await dynamodb.describeTable({ TableName: restored });
      return Table?.TableStatus === 'ACTIVE';
    });
    const point = ['--from', restored, '--restore-point', RestoreDateTime.toISOString()];
    await world.authctl('table', 'restore', 'clients', ...point, '--undelete', client.clientId);
    await world.within('the restored client gets a token', async () => {
      const { status } = await requestToken(world.tokenUrl, client);
      return status === 200;
    });
  },

  // A log group that was imported keeps its creation time.
  import: async (world) => {
    const logGroupNamePrefix = logGroupOf(world, /-token$/);
    const createdAt = async () => {
      const { logGroups = [] } = await world.aws().logs.describeLogGroups({ logGroupNamePrefix });
      return logGroups[0]?.creationTime;
    };
    const before = await createdAt();
    await world.deployAnew();
    const after = await createdAt();
    expect(before !== undefined && before === after, `created at ${before}, now ${after}`);
    const { client_id: kept } = await world.authctl('client', 'show', world.client.clientId);
    expect(kept === world.client.clientId, 'the client is gone');
  },
};
