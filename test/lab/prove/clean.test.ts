import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

const awsRegion = 'us-west-2';
type ThingKind = Thing['kind'];
const kinds: readonly ThingKind[] = ['keys', 'policy', 'table', 'log group', 'event bus', 'stack'];
const steps: readonly Thing[] = [
  { kind: 'stack', name: 'trial-toolkit', awsRegion },
  { kind: 'bucket', name: 'trial-assets', awsRegion },
  ...kinds.map((kind) => ({ kind, name: kind === 'keys' ? 'trial' : `trial-${kind}`, awsRegion })),
];

function createRecord(): RunRecord {
  const folder = mkdtempSync(join(tmpdir(), 'prove-'));
  const empty = { things: {}, answers: {}, facts: {} };
  return { folder, name: 'trial', awsRegions: [awsRegion], startedAt: '', ...empty };
}

/** An account in memory. @param beforeCall e.g. what ends the process. */
function createAccount(
  has: Set<string>,
  beforeCall: (operation: string) => void = () => undefined,
) {
  const absent = Object.assign(new Error('there is none'), { name: 'ResourceNotFoundException' });
  const find = (kind: ThingKind, name = '') => {
    if (!has.has(`${kind} ${name}`)) throw absent;
  };
  const remove = (kind: ThingKind, name = '') => {
    find(kind, name);
    has.delete(`${kind} ${name}`);
  };
  const policyOf = (arn = '') => arn.slice(arn.indexOf('/') + 1);
  const operations: Readonly<Record<string, (input: Record<string, string>) => unknown>> = {
    describeStacks: ({ StackName }) => {
      find('stack', StackName);
      return { Stacks: [{ StackStatus: 'CREATE_COMPLETE' }] };
    },
    deleteStack: ({ StackName }) => remove('stack', StackName),
    describeTable: ({ TableName }) => {
      find('table', TableName);
      return { Table: { TableStatus: 'ACTIVE', DeletionProtectionEnabled: true } };
    },
    updateTable: ({ TableName }) => find('table', TableName),
    deleteTable: ({ TableName }) => remove('table', TableName),
    describeLogGroups: () => ({
      logGroups: [...has].map((one) => ({ logGroupName: one.replace('log group ', '') })),
    }),
    deleteLogGroup: ({ logGroupName }) => remove('log group', logGroupName),
    describeEventBus: ({ Name }) => find('event bus', Name) ?? {},
    deleteEventBus: ({ Name }) => remove('event bus', Name),
    getCallerIdentity: () => ({ Arn: 'arn:aws:iam::111122223333:root' }),
    getPolicy: ({ PolicyArn }) => find('policy', policyOf(PolicyArn)) ?? {},
    listPolicyVersions: () => ({ Versions: [{ VersionId: 'v1', IsDefaultVersion: true }] }),
    deletePolicy: ({ PolicyArn }) => remove('policy', policyOf(PolicyArn)),
    listObjectVersions: ({ Bucket }) => find('bucket', Bucket) ?? {},
    deleteBucket: ({ Bucket }) => remove('bucket', Bucket),
    listKeys: () => ({ Keys: [{ KeyId: 'trial' }, { KeyId: 'other' }] }),
    describeKey: ({ KeyId }) => ({
      KeyMetadata: { KeyState: has.has(`keys ${KeyId}`) ? 'Enabled' : 'PendingDeletion' },
    }),
    listResourceTags: ({ KeyId }) => ({
      Tags: [{ TagKey: kmsKeyTags.deployment, TagValue: KeyId }],
    }),
    scheduleKeyDeletion: ({ KeyId }) => remove('keys', KeyId),
  };
  const service = new Proxy(
    {},
    {
      get: (_, operation: string) => async (input: Record<string, string>) => {
        beforeCall(operation);
        return operations[operation]?.(input);
      },
    },
  );
  const names = ['cloudformation', 'dynamodb', 'events', 'iam', 'kms', 'logs', 's3', 'sts'];
  const all = Object.fromEntries(names.map((name) => [name, service]));
  const services = recordCalls(all, process.env['PROVE_CALLS'] ?? '/dev/null');
  const account: Account = { aws: () => services, clock: () => 0, pause: async () => undefined };
  return account;
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
    const hidden = proofs.length - asked.length;
    expect(sum).toBe(`0 passed, ${asked.length} failed, ${hidden} not asked`);
    const text = readFileSync(join(record.folder, 'proof.md'), 'utf8');
    expect(text).toContain(`## Failed: ${asked.length}\n`);
    expect(text).toMatch(/AgentCore takes a token .*\| it needs an agent runtime \|/);
  });

  it.each([
    [
      'https://sqs.us-west-2.amazonaws.com/111122223333/queue',
      'https://sqs.us-west-2.amazonaws.com/<account>/queue',
    ],
    ['role arn:aws:iam::111122223333:role/a b', 'role <arn> b'],
    ['AKIAIOSFODNN7EXAMPLE', '<access key>'],
    ['Basic dXNlcjpwYXNzd29yZA==', '<credential>'],
    ['eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln', '<token>'],
    [
      'https://abcdef1234.execute-api.us-west-2.amazonaws.com',
      'https://<api>.execute-api.us-west-2.amazonaws.com',
    ],
    ['1795942354907 ms', '1795942354907 ms'],
  ])('writes %s as %s', (text, written) => {
    expect(redact(text)).toBe(written);
  });
});
