import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import type { FaultRuleInput } from '../../../lab/emulator/faults/fault-script.ts';
import { Faults } from '../../../lab/emulator/faults/faults.ts';
import { startFaultyService } from '../../../lab/emulator/faults/faulty-service.ts';
import { SeededRandom } from '../../../lab/emulator/faults/seeded-random.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { type AwsClients, createAwsClients } from '../../../lab/support/aws-clients.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { rotationInvocation } from '../../support/caller-proof.ts';
import { keyPolicy } from '../../support/key-policy.ts';
import { testAccessKey as accessKey } from '../../support/test-access-key.ts';
import { startDynalite } from '../adapters/dynalite.ts';
import { openRotation } from './open-rotation.ts';

/** Milliseconds since the epoch: `sleep` moves it, and nothing else does. */
let now: number;
let deployment: string;
let reports: RunReport[] = [];
/** The clients of the rotation's role, and those of anyone who looks at what it did. */
let role: AwsClients;
let admin: AwsClients;

const faults = new Faults({ rules: [] }, () => now);
const running: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  const dynalite = await startDynalite();
  const kms = await startKms({ accessKey });
  const open = (endpointDynamoDb: string, endpointKms: string) =>
    createAwsClients({
      region: 'us-west-2',
      endpointDynamoDb,
      endpointKms,
      credentials: accessKey,
    });
  admin = open(dynalite.endpoint, kms.endpoint);
  const [dynamodbGate, kmsGate] = await Promise.all([
    startFaultyService({ service: 'dynamodb', endpoint: dynalite.endpoint, accessKey, faults }),
    startFaultyService({ service: 'kms', endpoint: kms.endpoint, accessKey, faults }),
  ]);
  role = open(dynamodbGate.endpoint, kmsGate.endpoint);
  running.push(dynamodbGate, kmsGate, dynalite, kms);
});
afterAll(async () => {
  for (const service of running) await service.close();
});
beforeEach(async () => {
  deployment = `test-${randomUUID().slice(0, 8)}`;
  now = 1_800_000_000_000;
  reports = [];
  await createTables(admin.dynamodb, deployment);
});

/** The rotation's longest run, in milliseconds. */
const timeLimit = 14 * 60_000;

function deploy(limit = timeLimit): Promise<unknown> {
  const start = now;
  const report = (run: RunReport) => void reports.push(run);
  const world = { aws: role, deployment, report, now: () => Math.floor(now / 1000) };
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const getRemainingTimeInMillis = () => start + limit - now;
  const handler = openRotation(world, { sleep }, { algs: ['ES256'] });
  return handler({}, { ...rotationInvocation, getRemainingTimeInMillis });
}

/** What the first deployment asks of each service. */
const calls = {
  dynamodb: ['Query', 'PutItem'],
  kms: [
    'CreateKey',
    'DescribeKey',
    'GetKeyPolicy',
    'GetPublicKey',
    'ListGrants',
    'ListKeys',
    'ListResourceTags',
  ],
} as const;

/** Denies each of these calls from the beginning until a time of its own, in seconds. */
function deny(until: (operation: string) => number | undefined): void {
  const rules = (['dynamodb', 'kms'] as const).flatMap((service) =>
    calls[service].map(
      (operation): FaultRuleInput => ({
        fault: 'error',
        code: 'AccessDeniedException',
        service,
        operation,
        until: until(operation),
      }),
    ),
  );
  faults.play({ rules: rules.filter((rule) => rule.until !== 0) });
}

describe('the first deployment', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'waits until IAM allows every call, in any order (seed %d)',
    async (seed) => {
      const random = new SeededRandom(seed);
      const start = now;
      deny(() => 1 + Math.floor(random.next() * 120));
      expect(await deploy()).toMatchObject({ status: 'signing' });
      // Two minutes, and the longest pause after each of the calls.
      expect(now - start).toBeLessThan(200_000);
      const management = createKmsKeys(admin.kms, { deploymentName: deployment, keyPolicy });
      expect(await management.listKeys()).toHaveLength(2);
    },
  );

  it.each([
    ['dynamodb', 'Query'],
    ['dynamodb', 'PutItem'],
    ['kms', 'ListKeys'],
    ['kms', 'CreateKey'],
    ['kms', 'GetPublicKey'],
  ])('ends when its time is over, and names %s:%s as missing', async (service, operation) => {
    deny((name) => (name === operation ? undefined : 0));
    const start = now;
    await expect(deploy(120_000)).rejects.toThrow(
      new RegExp(
        `^the deployment ran out of time: .*IAM does not allow ${service}:${operation} on .+: no identity-based policy allows it$`,
      ),
    );
    expect(now - start).toBeGreaterThan(90_000);
    expect(reports.at(-1)).toMatchObject({
      level: 'error',
      outcome: 'deploy_failed',
      fields: { error_message: expect.stringContaining(`${service}:${operation}`) },
    });
  });

  it('fails at once for what no time cures', async () => {
    faults.play({
      rules: [
        {
          fault: 'error',
          code: 'ResourceNotFoundException',
          service: 'dynamodb',
          operation: 'Query',
        },
      ],
    });
    const start = now;
    await expect(deploy()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    expect(now).toBe(start);
  });
});
