import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { canaryRunItem } from '../../../adapters/dynamodb/items/rotation-item.ts';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import { tableName } from '../../../contract/tables.ts';
import { requestDigest } from '../../../core/audit/request-digest.ts';
import { localUserArn } from '../../../lab/emulator/sts-server.ts';
import { ageNextKey } from '../../../lab/support/age-next-key.ts';
import { useLocalCli } from './use-authctl.ts';

/** A lead of 34 s; nothing else happens by itself while the tests run. */
const { authctl, json, service } = useLocalCli({
  signingAlgorithms: ['RS256', 'ES256', 'ML-DSA-44'],
  signingKeyPolicy: {
    rotationPeriod: 3600,
    jwksMaxAge: 1,
    edgeAge: 0,
    verifierCache: 30,
    propagationLag: 2,
    keyListRefresh: 1,
    leeway: 1,
    authorizerResultTtl: 0,
    retention: 64,
  },
  maxTokenLifetime: 60,
});

interface Key {
  readonly kid: string;
  readonly state: string;
  readonly algorithm: string;
  readonly signs: boolean;
  readonly live_token_seconds: number;
  readonly safety_seconds: number;
  readonly self_test_problem?: string;
}

async function listKeys(): Promise<readonly Key[]> {
  return (await json(['signing-key', 'list'])).items as readonly Key[];
}

async function findKid(state: string): Promise<string> {
  const found = (await listKeys()).find((key) => key.state === state);
  if (found === undefined) throw new Error(`no key is ${state}`);
  return found.kid;
}

async function inTable(change: (dynamodb: DynamoDBClient) => Promise<unknown>): Promise<void> {
  const { environment } = service();
  const dynamodb = new DynamoDBClient({
    region: environment['AWS_REGION'],
    endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'],
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  await change(dynamodb);
  dynamodb.destroy();
}

const table = tableName('local', 'signingKeys');

/** Makes the published key one that may sign. */
const makeEligible = () => inTable((dynamodb) => ageNextKey(dynamodb, { table, regionId: 'slc' }));

async function readFamilies(): Promise<readonly string[]> {
  const jwks = (await (await fetch(service().jwksUri)).json()) as { keys: { kty: string }[] };
  return [...new Set(jwks.keys.map(({ kty }) => kty))].toSorted();
}

const unknown = 'A'.repeat(43);

describe('signing-key list', () => {
  it('shows which key signs, what comes next and what is to spare', async () => {
    const { exitCode, stdout } = await authctl(['signing-key', 'list']);
    expect(exitCode).toBe(0);
    const [head = '', current = '', next = ''] = stdout.split('\n');
    expect(head).toMatch(/^REGION +KID +ALGORITHM +STATE +FOR +NEXT +SAFETY$/);
    expect(current).toMatch(
      /^slc +\S{43} +RS256 +current, signs +\S+ +stops signing in (1h|59m \d+s) +\d+[dhms]( \d+[hms])?$/,
    );
    expect(next).toMatch(/^slc +\S{43} +RS256 +next +\S+ +may sign (?:in \d+s +waits|now +\d+s)$/);
  });

  it('has a stable form for scripts', async () => {
    const [current] = await listKeys();
    expect(current).toMatchObject({
      region: 'slc',
      algorithm: 'RS256',
      state: 'current',
      signs: true,
      published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      next_action: 'retire',
      live_token_seconds: 60,
    });
    const { stdout } = await authctl(['signing-key', 'list', '--quiet']);
    expect(stdout.split('\n')[0]).toBe(current?.kid);
  });

  it('shows how the last canary ended, and that a current key fails', async () => {
    const at = Math.floor(Date.now() / 1000) - 60;
    const run = canaryRunItem.toItem({ regionId: 'slc', at, selfTestProblem: 'KMS: denied' });
    await inTable((dynamodb) =>
      dynamodb.send(new PutItemCommand({ TableName: table, Item: marshall(run) })),
    );
    const { stdout, stderr } = await authctl(['signing-key', 'list']);
    expect(stdout).toMatch(/ current, fails /);
    expect(stderr).toMatch(/slc: 1m( \d+s)? ago: self-test failed: KMS: denied\ncanary passed/);
    expect((await listKeys()).map((key) => key.self_test_problem)).toEqual([
      'KMS: denied',
      undefined,
    ]);
  });

  it('watches only for people', async () => {
    const { exitCode, stderr } = await authctl(['signing-key', 'list', '--watch', '--json']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('without --json')]);
  });
});

describe('signing-key plan', () => {
  it('says what comes, and changes nothing', async () => {
    const before = await listKeys();
    const { items: steps } = await json(['signing-key', 'plan']);
    expect(steps).toContainEqual(
      expect.objectContaining({ action: 'retire', subject: before[0]?.kid, due: false }),
    );
    expect((await authctl(['signing-key', 'plan'])).stdout).toMatch(/^WHEN +AT +REGION +ACTION/);
    const states = (keys: readonly Key[]) => keys.map(({ kid, state }) => `${kid} ${state}`);
    expect(states(await listKeys())).toEqual(states(before));
  });
});

describe('signing-key rotate', () => {
  it('lets the next key sign, and tokens of both verify', async () => {
    await makeEligible();
    const next = await findKid('next');
    const { exitCode, stdout } = await authctl(['signing-key', 'rotate', '--region', 'slc']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`slc: promote ${next}\n`)]);
    expect((await listKeys()).find(({ signs }) => signs)?.kid).toBe(next);
  });

  it('is refused while the next key may not sign yet, and says when it may', async () => {
    const { exitCode, stdout, stderr } = await authctl(['signing-key', 'rotate']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^authctl: the next key of slc, \S{43}, may sign from \S+ on, in \d+ s at the earliest: every region must serve it and then run its rotation before the lead begins\n$/,
    );
  });

  it('waits with a key of another algorithm until the JWKS has room, and says so', async () => {
    const wait =
      /the next ES256 key is not published yet: slc has 3 keys in the JWKS, of 3 that it may have \(jwksMaxKeys\), and \S{43} leaves it at \S+Z/;
    const { exitCode, stdout } = await authctl(['signing-key', 'rotate', '--algorithm', 'ES256']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(wait)]);
    expect((await authctl(['signing-key', 'plan'])).stderr).toMatch(wait);
  });

  it('publishes a key of another algorithm', async () => {
    const previous = await findKid('previous');
    const refused = await authctl(['signing-key', 'withdraw', previous]);
    expect(refused.stderr).toContain('is "previous" and cannot be withdrawn');
    await json(['signing-key', 'withdraw', previous, '--emergency', '--yes']);
    expect((await listKeys()).map(({ state, algorithm }) => `${algorithm} ${state}`)).toContain(
      'ES256 next',
    );
    // The JWKS function reads the list of keys again every second.
    await expect.poll(readFamilies).toEqual(['EC', 'RSA']);
  });

  it.each([
    [['--region', 'dfw'], 2, '--region: received "dfw"; allowed: a region of the deployment: slc'],
    [['--region', 'x'], 2, "argument 'x' is invalid. Allowed choices are slc, dfw, pit"],
    [['--algorithm', 'none'], 2, "argument 'none' is invalid"],
    [
      ['--algorithm', 'ML-DSA-65'],
      2,
      'algorithm: received "ML-DSA-65"; allowed: RS256, ES256, ML-DSA-44',
    ],
  ])('refuses %j', async (flags, code, message) => {
    const { exitCode, stdout, stderr } = await authctl(['signing-key', 'rotate', ...flags]);
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(message);
  });
});

describe('signing-key rotate to ML-DSA', () => {
  it('warns that some verifiers refuse the whole JWKS, and changes nothing without a yes', async () => {
    const before = await listKeys();
    const run = await authctl(['signing-key', 'rotate', '--algorithm', 'ML-DSA-44']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('lestrrat jwx');
    expect((await listKeys()).map(({ kid }) => kid)).toEqual(before.map(({ kid }) => kid));
  });
});

describe('the audit of signing-key rotate', () => {
  it('names whom STS authenticates, and nothing that the event says', async () => {
    const { aws, environment } = service();
    const invoke = createInvokeFunction(createLambdaClient(aws));
    const name = 'local-key-rotation';
    const forged = { action: 'rotate', requested_by: 'arn:aws:iam::000000000000:user/alice' };
    await expect(invoke(name, forged)).rejects.toThrow('caller_proof: received nothing');
    const prove = createCallerProof(aws.credentials, environment);
    const proof = await prove('us-west-2', requestDigest(name, { action: 'rotate' }));
    const other = { action: 'rotate', algorithm: 'ES256', caller_proof: proof };
    await expect(invoke(name, other)).rejects.toThrow('AWS does not accept the signature');
    const records = (await json(['audit', 'list', '--action', 'signing_key'])).items as readonly {
      readonly actor: string;
    }[];
    const actors = new Set(records.map(({ actor }) => actor));
    expect(['key-rotation', localUserArn()]).toEqual(expect.arrayContaining([...actors]));
  });
});

describe('signing-key withdraw', () => {
  it('takes a kid that begins with "-" for a kid', async () => {
    const kid = `-${'A'.repeat(42)}`;
    const run = await authctl(['signing-key', 'withdraw', kid, '--emergency', '--yes']);
    expect(run.stderr).toContain(`kid: received "${kid}"; allowed: a key that signing-key list`);
  });

  it.each([
    [[unknown, '--emergency'], 2, `kid: received "${unknown}"; allowed: a key that signing-key`],
    [['$current'], 1, 'is "current" and cannot be withdrawn: its tokens may be in use'],
    [
      ['$current', '--emergency'],
      2,
      'signs in slc. Tokens that it signed stop verifying, up to 60 s before they expire.',
    ],
  ])('refuses %j', async (words, code, message) => {
    const kids = await Promise.all(
      words.map(async (word) => (word.startsWith('$') ? findKid(word.slice(1)) : word)),
    );
    const { exitCode, stdout, stderr } = await authctl(['signing-key', 'withdraw', ...kids]);
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(message);
  });

  it('takes the signing key out of use when that is confirmed', async () => {
    await makeEligible();
    const lost = await findKid('current');
    const { exitCode } = await authctl(['signing-key', 'withdraw', lost, '--emergency'], {
      stdin: 'yes\n',
      isTerminal: true,
    });
    expect(exitCode).toBe(0);
    const keys = await listKeys();
    expect(keys.find(({ kid }) => kid === lost)?.state).toBe('disabled');
    expect(keys.filter(({ signs }) => signs)).toHaveLength(1);
  });
});
