import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kmsKeyTags } from '../../../contract/kms-key.ts';
import { type Account, recordCalls } from '../../../lab/prove/aws.ts';
import { clean } from '../../../lab/prove/clean.ts';
import { askAll, proofs } from '../../../lab/prove/proofs.ts';
import { redact, writeReport } from '../../../lab/prove/report.ts';
import {
  intend,
  listThings,
  openRecord,
  type RunRecord,
  type Thing,
} from '../../../lab/prove/run-record.ts';
import type { World } from '../../../lab/prove/world.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const awsRegion = 'us-west-2';
const kinds: readonly Thing['kind'][] = [
  'keys',
  'policy',
  'table',
  'log group',
  'event bus',
  'stack',
];
const steps: readonly Thing[] = [
  { kind: 'stack', name: 'trial-toolkit', awsRegion },
  { kind: 'bucket', name: 'trial-assets', awsRegion },
  ...kinds.map((kind) => ({ kind, name: kind === 'keys' ? 'trial' : `trial-${kind}`, awsRegion })),
];

function createRecord(): RunRecord {
  const folder = temporaryDirectory();
  const empty = { things: {}, answers: {}, facts: {} };
  return { folder, name: 'trial', awsRegions: [awsRegion], startedAt: '', ...empty };
}

const Table = { TableStatus: 'ACTIVE', DeletionProtectionEnabled: true };
/** By operation: the kind, the property that names it, and the answer if there is one. */
const finds: Readonly<Record<string, readonly [Thing['kind'], string, object?]>> = {
  describeStacks: ['stack', 'StackName', { Stacks: [{ StackStatus: 'CREATE_COMPLETE' }] }],
  describeTable: ['table', 'TableName', { Table }],
  updateTable: ['table', 'TableName'],
  describeEventBus: ['event bus', 'Name'],
  getPolicy: ['policy', 'PolicyArn'],
  listPolicyVersions: ['policy', 'PolicyArn', { Versions: [{ IsDefaultVersion: true }] }],
  listObjectVersions: ['bucket', 'Bucket'],
};
const removals: typeof finds = {
  deleteStack: ['stack', 'StackName'],
  deleteTable: ['table', 'TableName'],
  deleteLogGroup: ['log group', 'logGroupName'],
  deleteEventBus: ['event bus', 'Name'],
  deletePolicy: ['policy', 'PolicyArn'],
  deleteBucket: ['bucket', 'Bucket'],
  scheduleKeyDeletion: ['keys', 'KeyId'],
};

/** An account in memory. @param beforeCall e.g. what ends the process. */
function createAccount(has: Set<string>, beforeCall: () => void = () => undefined): Account {
  const others: Readonly<Record<string, (KeyId: string) => object>> = {
    describeLogGroups: () => ({
      logGroups: [...has].map((one) => ({ logGroupName: one.replace('log group ', '') })),
    }),
    getCallerIdentity: () => ({ Arn: 'arn:aws:iam::111122223333:root' }),
    listKeys: () => ({ Keys: [{ KeyId: 'trial' }, { KeyId: 'other' }] }),
    describeKey: (KeyId) => ({
      KeyMetadata: { KeyState: has.has(`keys ${KeyId}`) ? 'Enabled' : 'PendingDeletion' },
    }),
    listResourceTags: (KeyId) => ({ Tags: [{ TagKey: kmsKeyTags.deployment, TagValue: KeyId }] }),
  };
  const call = async (operation: string, input: Record<string, string>) => {
    beforeCall();
    const [kind, property, answer = {}] = finds[operation] ?? removals[operation] ?? [];
    if (property === undefined) return others[operation]?.(input['KeyId'] ?? '');
    const thing = `${kind} ${input[property]?.split('/').at(-1)}`;
    if (!has.has(thing)) throw new Error('ResourceNotFoundException');
    if (operation in removals) has.delete(thing);
    return answer;
  };
  const get = (_: object, operation: string) => call.bind(undefined, operation);
  const names = ['cloudformation', 'dynamodb', 'events', 'iam', 'kms', 'logs', 's3', 'sts'];
  const all = Object.fromEntries(names.map((name) => [name, new Proxy({}, { get })]));
  const services = recordCalls(all, process.env['PROVE_CALLS'] ?? '/dev/null');
  return { aws: () => services, clock: () => 0, pause: async () => undefined };
}

const neighbours = ['stack other', 'table other', 'keys other', 'log group other', 'policy other'];
const silent = () => undefined;

describe('a run that is interrupted', () => {
  // Each thing has two moments: when it is in the record only, and when it exists.
  it.each(Array.from({ length: steps.length * 2 }, (_, moment) => moment))(
    'at moment %i leaves nothing that the next process does not find, and touches nothing else',
    async (moment) => {
      const has = new Set(neighbours);
      const record = createRecord();
      for (const [index, thing] of steps.entries()) {
        if (index * 2 > moment) break;
        intend(record, thing);
        if (index * 2 + 1 <= moment) has.add(`${thing.kind} ${thing.name}`);
      }
      const found = openRecord(record.folder);
      await clean(createAccount(has), found, silent);
      expect([...has]).toEqual(neighbours);
      expect(found.things).toEqual({});
    },
  );

  it('while it deletes continues, regardless of the call at which it ended', async () => {
    for (let last = 1; last < 36; last += 3) {
      const has = new Set([...neighbours, ...steps.map(({ kind, name }) => `${kind} ${name}`)]);
      const record = createRecord();
      intend(record, ...steps);
      let calls = 0;
      const stop = () => {
        calls += 1;
        if (calls >= last) throw new Error('the process ends');
      };
      await clean(createAccount(has, stop), record, silent);
      expect(listThings(record).length > 0).toBe(calls >= last);
      await clean(createAccount(has), openRecord(record.folder), silent);
      expect([...has]).toEqual(neighbours);
    }
  });
});

describe('a report', () => {
  it('says what is left, its price and why, and has no account number, ARN or secret', async () => {
    const record = createRecord();
    intend(record, { kind: 'table', name: 'trial-clients', awsRegion });
    const refuse = () => {
      throw new Error('arn:aws:dynamodb:us-west-2:111122223333:table/trial-clients is protected');
    };
    await clean(createAccount(new Set(), refuse), record, silent);
    record.answers['routes'] = { result: 'failed', reason: 'refused by 111122223333' };
    const { isGood } = writeReport(record, false);
    expect(isGood).toBe(false);
    for (const file of ['proof.md', 'proof.json']) {
      const text = readFileSync(join(record.folder, file), 'utf8');
      expect(text).toContain('trial-clients');
      expect(text).toContain('$0.25 a month for each GB');
      expect(text).toContain('refused by <account>');
      expect(text).not.toMatch(/111122223333|arn:aws/);
    }
  });

  it('has each proof with its result, and an error in one keeps no other from being asked', async () => {
    const record = createRecord();
    const refused = async () => {
      throw new Error('AccessDenied');
    };
    const all = proofs.map((proof) => ({ ...proof, check: proof.check && refused }));
    const world = { client: { clientSecret: '-' }, clock: () => 0 } as World;
    await askAll(world, record, { isEmulator: false, say: silent }, all);
    const { sum } = writeReport(record, false);
    const asked = proofs.filter(({ check, regions }) => check !== undefined && regions !== 2);
    const left = proofs.filter(({ check }) => check === undefined).length;
    expect(sum).toBe(`${asked.length} failed, 0 passed, 1 not asked, ${left} left to people`);
    const text = readFileSync(join(record.folder, 'proof.md'), 'utf8');
    expect(text).toContain(`## Failed: ${asked.length}\n`);
    expect(text).toMatch(/AgentCore takes a token .*\| it needs an agent runtime \|/);
  });

  it.each([
    ['https://sqs.example/111122223333/queue', 'https://sqs.example/<account>/queue'],
    ['role arn:aws:iam::111122223333:role/a b', 'role <arn> b'],
    ['AKIAIOSFODNN7EXAMPLE', '<access key>'],
    ['Basic dXNlcjpwYXNzd29yZA==', '<credential>'],
    ['eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln', '<token>'],
    ['https://abcdef1234.execute-api.example', 'https://<api>.execute-api.example'],
    ['1795942354907 ms', '1795942354907 ms'],
  ])('writes %s as %s', (text, written) => {
    expect(redact(text)).toBe(written);
  });
});
