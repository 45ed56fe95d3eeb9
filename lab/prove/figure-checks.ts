import { createPublicKey, verify } from 'node:crypto';
import type { KeySpec, SigningAlgorithmSpec } from '@aws-sdk/client-kms';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { eventually } from './clean.ts';
import { findLines } from './gateway-checks.ts';
import type { Figures } from './run-record.ts';
import { type Check, expect, getToken, requestToken, type World } from './world.ts';

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN);
}

/** Does something some times. @returns how long it took. */
async function time(
  { clock }: World,
  times: number,
  work: () => Promise<unknown>,
): Promise<Figures> {
  const took: number[] = [];
  while (took.length < times) {
    const startedAt = clock();
    await work();
    took.push(clock() - startedAt);
  }
  const at = (share: number) => percentile(took, share);
  return { 'first ms': took[0] ?? 0, 'p50 ms': at(0.5), 'p95 ms': at(0.95) };
}

/** One after the other, as a caller far from AWS sees them. */
export const tokenTimes: Check = (world) => time(world, 100, () => getToken(world));

/** Lambda's reports of the token function: starts, billed time and memory. */
export const lambdaReports: Check = async (world) => {
  await getToken(world);
  const lines = await findLines(world, /-token$/, 'REPORT RequestId', 5);
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
};

/** Makes a key, which the record finds by its tag. */
export async function createKey(world: World, spec: KeySpec): Promise<string> {
  const { awsRegion, name } = world;
  world.intend({ kind: 'keys', name, awsRegion });
  const Tags = [{ TagKey: kmsKeyTags.deployment, TagValue: name }];
  const creation = { KeySpec: spec, KeyUsage: 'SIGN_VERIFY' as const, Tags };
  return (await world.aws().kms.createKey(creation)).KeyMetadata?.KeyId ?? '';
}

/** A key of KMS signs, and Node verifies. @param more how Node must be told to verify. */
export function signsWith(spec: KeySpec, alg: SigningAlgorithmSpec, more = {}): Check {
  return async (world) => {
    const KeyId = await createKey(world, spec);
    const { PublicKey } = await world.aws().kms.getPublicKey({ KeyId });
    const key = createPublicKey({ key: Buffer.from(PublicKey ?? ''), format: 'der', type: 'spki' });
    const Message = Buffer.from('a token of a trial');
    const request = { KeyId, Message, MessageType: 'RAW', SigningAlgorithm: alg } as const;
    const hash = alg.endsWith('256') && !alg.includes('SHAKE') ? 'sha256' : undefined;
    return time(world, 20, async () => {
      const { Signature = '' } = await world.aws().kms.sign(request);
      const isRight = verify(hash, Message, { key, ...more }, Buffer.from(Signature));
      expect(isRight, `a signature of ${alg} does not verify`);
    });
  };
}

/** What the account may do at once. The deployment check has read the others. */
export const quotas: Check = async (world) => {
  const { AccountLimit = {} } = await world.aws().lambda.getAccountSettings({});
  const { ConcurrentExecutions = 0, UnreservedConcurrentExecutions = 0 } = AccountLimit;
  expect(ConcurrentExecutions >= 10, `Lambda allows ${ConcurrentExecutions} executions at once`);
  return { 'Lambda at once': ConcurrentExecutions, 'of them free': UnreservedConcurrentExecutions };
};

/** How long a list by trunk group does not show a client that exists: the lag of an index. */
export const indexLag: Check = async (world) => {
  const group = ['--trunk-group', `tg-${world.clock()}`];
  let number = 0;
  return time(world, 5, async () => {
    number += 1;
    const name = ['--name', `Lag ${number}`, '--scope', 'messaging:view'];
    const { client_id: id } = await world.authctl('client', 'create', ...group, ...name);
    await eventually(world, 'a list with the new client', 2, async () => {
      const { items = [] } = await world.authctl('client', 'list', ...group);
      return (items as { client_id: string }[]).some((one) => one.client_id === id);
    });
  });
};

/** What one region writes about a client holds in the other, in the same order. */
export const replication: Check = async (world) => {
  const after = async (command: 'disable' | 'enable', expected: number) => {
    await world.authctl('client', command, world.client.clientId);
    return time(world, 1, () =>
      eventually(world, `status ${expected} in the other region`, 5, async () => {
        const { status } = await requestToken(world, world.otherTokenUrl);
        return status === expected;
      }),
    );
  };
  const [disabled, enabled] = [await after('disable', 401), await after('enable', 200)];
  return { 'disabled ms': disabled['first ms'] ?? 0, 'enabled ms': enabled['first ms'] ?? 0 };
};
