import { randomUUID } from 'node:crypto';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import { createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import type { CanaryFinding } from '../../../contract/function-events.ts';
import type { Settings } from '../../../contract/function-settings.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { tableName } from '../../../contract/tables.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { checkKey } from '../../../core/key-rotation/canary.ts';
import { isPublished } from '../../../core/signing-key/signing-key.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import type { AwsClients } from '../../../lab/support/aws-clients.ts';
import type { FunctionPorts } from '../../../lambda/key-rotation/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { operatorArn, rotationInvocation, withProof } from '../../support/caller-proof.ts';
import { keyPolicy } from '../../support/key-policy.ts';
import { openRotation } from './open-rotation.ts';
import { useAws } from './use-aws.ts';

let aws: AwsClients;
let deployment: string;
let now: number;
let reports: RunReport[] = [];

useAws((test) => {
  ({ aws, deployment } = test);
  now = 1_800_000_000;
  reports = [];
});

const openStore = () =>
  createDynamoDbRotationStore(aws.dynamodb, tableName(deployment, 'signingKeys'));

/** The canary over the JWKS that the table makes, for the one region that is in service. */
async function askCanary(kid: string): Promise<readonly CanaryFinding[]> {
  const keys = await openStore().listSigningKeys();
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new Error(`no key ${kid}`);
  const published = keys.filter((candidate) => isPublished(candidate, now));
  const ports = {
    sign: createKmsSign(aws.kms),
    fetchJwks: async () => ({ keys: published.map(({ publicJwk }) => publicJwk) }),
    fetchMetadata: async () => ({ id_token_signing_alg_values_supported: algs }),
  };
  return checkKey(key, [key.regionId], ports, { now, jti: randomUUID() });
}

function createHandler(
  functions: Partial<FunctionPorts> = {},
  more: Partial<Settings<'key-rotation'>> = {},
) {
  const report = (run: RunReport) => void reports.push(run);
  const world = { aws, deployment, report, now: () => now };
  const handler = openRotation(world, { checkKey: askCanary, ...functions }, more);
  return (event: unknown, different: Partial<typeof rotationInvocation> = {}) =>
    handler(withProof(event, now), { ...rotationInvocation, ...different });
}

/** Two runs prove the keys that wait: one sees them, and the other follows G + L later. */
async function prove(handler: ReturnType<typeof createHandler>) {
  await handler({ action: 'reconcile' });
  now += policy.propagationLag + policy.leeway;
  return handler({ action: 'reconcile' });
}

async function listStates(): Promise<readonly string[]> {
  const keys = await openStore().listSigningKeys();
  return keys
    .toSorted((a, b) => a.publishedAt - b.publishedAt || (a.state < b.state ? -1 : 1))
    .map(({ regionId, alg, state }) => `${regionId} ${alg} ${state}`);
}

describe('the key-rotation function', () => {
  it.each([{}, undefined, null, { action: 'deploy' }])(
    'makes the first key sign at once and publishes the next, for the event %j',
    async (event) => {
      const report = await createHandler()(event);
      expect(report).toMatchObject({ region: 'slc', status: 'signing', refused: [] });
      expect(await listStates()).toEqual(['slc ES256 current', 'slc ES256 next']);
    },
  );

  it('changes nothing when it is deployed again', async () => {
    const handler = createHandler();
    await handler({});
    const first = await prove(handler);
    const before = await openStore().listSigningKeys();
    const again = await handler({});
    expect(again).toEqual({ ...first, done: [] });
    expect(await openStore().listSigningKeys()).toEqual(before);
  });

  it('fails the deployment, with the reason, when the token function never signs', async () => {
    const handler = createHandler({ selfTest: async () => ({ ok: false, reason: 'no key' }) });
    await expect(handler({}, { getRemainingTimeInMillis: () => 0 })).rejects.toThrow(
      'the deployment ran out of time: the token function does not sign: no key',
    );
  });

  it('adopts a key that the rollback of a deployment left behind', async () => {
    const management = createKmsKeys(aws.kms, { deploymentName: deployment, keyPolicy });
    const left = await management.createKey({ intentId: 'lost', alg: 'ES256', description: '-' });
    await createHandler()({});
    const keys = await openStore().listSigningKeys();
    expect(keys.find((key) => key.state === 'current')?.kmsKeyArn).toBe(left);
    expect(await management.listKeys()).toHaveLength(2);
  });

  it('publishes the key of a region that joins later and does not wait for it to sign', async () => {
    const first = createHandler();
    await first({});
    const selfTest = () => Promise.reject(new Error('asked'));
    const joining = createHandler({ selfTest }, { regionId: 'dfw' });
    const report = await joining({});
    expect(report).toMatchObject({ region: 'dfw', status: 'waiting', refused: [] });
    expect(report.kid).toBeUndefined();
    expect(report.next).toEqual([{ kid: expect.any(String) }]);
    const proved = await prove(joining);
    expect(proved.next[0]?.eligible_at).toBe(
      new Date((now + policy.publicationLead) * 1000).toISOString(),
    );
    now += policy.publicationLead - 1;
    expect(await joining({ action: 'reconcile' })).toMatchObject({ status: 'waiting' });
    now += 1;
    expect(await joining({ action: 'reconcile' })).toMatchObject({ status: 'signing' });
  });

  it('says that a record cannot be read, does the rest, and counts as no run', async () => {
    const handler = createHandler();
    const { kid } = await handler({});
    const setState = (state: string) =>
      aws.dynamodb.send(
        new UpdateItemCommand({
          TableName: tableName(deployment, 'signingKeys'),
          Key: { record_type: { S: 'signing_key' }, record_id: { S: String(kid) } },
          UpdateExpression: 'SET #state = :state',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':state': { S: state } },
        }),
      );
    await setState('currant');
    reports = [];
    await handler({ action: 'reconcile' });
    expect(reports).toMatchObject([
      {
        level: 'error',
        fields: { malformed_records: [expect.stringContaining(`${kid}" cannot be read: state`)] },
      },
    ]);
    expect(reports[0]?.metrics).not.toHaveProperty('SigningKeyRotationRun');
    // Anyone who mends the record has the key back.
    await setState('current');
    await handler({ action: 'reconcile' });
    expect(reports.at(-1)).toMatchObject({ level: 'info', metrics: { SigningKeyRotationRun: 1 } });
    expect(await listStates()).toEqual(['slc ES256 current', 'slc ES256 next']);
  });

  it('has in its log how the last canary ended, which its table does not show', async () => {
    const handler = createHandler();
    await handler({});
    const none = { canary: 'no canary has run yet' };
    expect(reports.at(-1)).toMatchObject({ level: 'info', fields: none });
    await openStore().putCanaryRun({ regionId: 'slc', at: now, selfTestProblem: 'denied' });
    await handler({ action: 'reconcile' });
    const canary = '0s ago: self-test failed: denied\ncanary passed';
    expect(reports.at(-1)).toMatchObject({ level: 'warn', fields: { status: 'signing', canary } });
  });

  it.each([
    ['an algorithm that there is not', { action: 'rotate', algorithm: 'none' }, /algorithm/],
    ['an action that there is not', { action: 'delete' }, /action/],
    [
      'an invalid kid',
      { action: 'withdraw', kid: '../x', emergency: true },
      /kid: received "..\/x"; allowed: a kid/,
    ],
  ])('refuses %s', async (_, event, message) => {
    const handler = createHandler();
    await handler({});
    await expect(handler(event)).rejects.toThrow(message);
  });

  it('counts a refused removal, and every run that came to its end', async () => {
    const handler = createHandler();
    const { kid } = await handler({});
    await expect(handler({ action: 'withdraw', kid })).rejects.toThrow();
    expect(reports.map(({ outcome, metrics }) => ({ outcome, metrics }))).toEqual([
      { outcome: 'deploy', metrics: { SigningKeyRotationRun: 1 } },
      { outcome: 'withdraw_refused', metrics: { SigningKeyRemovalRefused: 1 } },
    ]);
    expect(reports[1]?.fields['actor']).toBe(operatorArn);
  });

  it('says for how long the signing key has been due while a region holds it up', async () => {
    let lagging: readonly CanaryFinding[] = [];
    const handler = createHandler({
      checkKey: async (kid) => [...(await askCanary(kid)), ...lagging],
    });
    const { kid, next } = await handler({});
    const publishedAt = now;
    await prove(handler);
    lagging = [
      { kid: next[0]?.kid ?? '', region: 'pit', ok: false, problem: 'unreachable', reason: 'no' },
    ];
    now = publishedAt + policy.rotationPeriod + 7;
    const report = await handler({ action: 'reconcile' });
    expect(report).toMatchObject({
      kid,
      refused: [{ kid: next[0]?.kid, reason: expect.stringContaining('pit: no') }],
    });
    expect(reports.at(-1)?.metrics).toMatchObject({ SigningKeyOverdue: 7 });
    lagging = [];
    expect((await handler({ action: 'reconcile' })).kid).toBe(next[0]?.kid);
  });

  it.each([
    [100, 'ahead of'],
    [-100, 'behind'],
  ])('does nothing while its clock is %d s wrong', async (error, how) => {
    const handler = createHandler({ now: undefined, clock: () => Date.now() + error * 1000 });
    await expect(handler({ action: 'reconcile' })).rejects.toThrow(
      new RegExp(`the clock of this function is \\d+ s ${how} the time that AWS says`),
    );
    expect(await listStates()).toEqual([]);
    expect(reports).toMatchObject([
      { level: 'error', outcome: 'reconcile_failed', metrics: { ClockDifferences: 1 } },
    ]);
  });

  it('does nothing while another region has run later than now', async () => {
    await openStore().putHeartbeat({ regionId: 'dfw', at: now + policy.leeway + 1 });
    await expect(createHandler()({ action: 'reconcile' })).rejects.toThrow(
      `the clock of this function is ${policy.leeway + 1} s behind the last run of dfw`,
    );
  });

  it('never publishes a key that others may sign with, and ends it', async () => {
    const [statement] = keyPolicy.Statement;
    const foreign = { ...statement, Principal: { AWS: 'arn:aws:iam::999999999999:root' } };
    const attacker = createKmsKeys(aws.kms, {
      deploymentName: deployment,
      keyPolicy: { ...keyPolicy, Statement: [statement, foreign] },
    });
    const planted = await attacker.createKey({ intentId: 'x', alg: 'ES256', description: '-' });
    await expect(createHandler()({})).rejects.toThrow(
      /^\S{43} \(arn:aws:kms:\S+\) is not published, and its deletion is scheduled: key policy: received another one than this deployment's$/,
    );
    expect(await listStates()).toEqual([]);
    expect((await attacker.describeKey(planted))?.state).toBe('pending_deletion');
    // Others wait, and the next key is made when the pause is over.
    expect(await createHandler()({ action: 'reconcile' })).toMatchObject({ done: [] });
    now += 600;
    expect(await createHandler()({})).toMatchObject({ status: 'signing', refused: [] });
    const arns = (await openStore().listSigningKeys()).map((key) => key.kmsKeyArn);
    expect(arns).toHaveLength(2);
    expect(arns).not.toContain(planted);
  });

  it('goes on while the publisher does not answer, and says so', async () => {
    await createHandler()({});
    await prove(createHandler());
    now += policy.rotationPeriod;
    const silent = createHandler({
      publishKey: async () => {
        throw new UnavailableError('canary failed: no answer');
      },
    });
    const report = await silent({ action: 'reconcile' });
    expect(report.done.map(({ action }) => action)).toContain('promote');
    expect(report.refused).toMatchObject([{ reason: 'canary failed: no answer' }]);
    await createHandler()({ action: 'reconcile' });
    expect(await listStates()).toEqual([
      'slc ES256 current',
      'slc ES256 previous',
      'slc ES256 next',
    ]);
  });

  it('says that a request without a proof is refused', async () => {
    const handler = createHandler();
    await handler({});
    await expect(handler({ action: 'rotate', caller_proof: undefined })).rejects.toThrow(
      'caller_proof: received nothing',
    );
    expect(reports.at(-1)).toMatchObject({ level: 'warn', outcome: 'rotate_refused' });
  });
});
