import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { describe, expect, it } from 'vitest';
import type { BackgroundClients } from '../../../adapters/background-clients.ts';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import { kmsKeyPolicy, kmsKeyTags } from '../../../contract/kms-key.ts';
import { tableName } from '../../../contract/tables.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { AwsClients } from '../../../lab/support/aws-clients.ts';
import { type CanaryOptions, createCanaryHandler } from '../../../lambda/canary/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { keyIntent } from '../../support/rotation-keys.ts';
import { useAws } from './use-aws.ts';

let aws: AwsClients;
let deployment: string;
let reports: RunReport[] = [];

useAws((test) => {
  ({ aws, deployment } = test);
  reports = [];
});

const role = (name: string) => `arn:aws:iam::000000000000:role/${name}`;
const keyPolicy = kmsKeyPolicy({
  account: 'arn:aws:iam::000000000000:root',
  rotationRole: role('rotation'),
  signingRoles: [role('token'), role('canary')],
});

const openStore = () =>
  createDynamoDbRotationStore(aws.dynamodb, tableName(deployment, 'signingKeys'));

function createCanary(functions: Partial<CanaryOptions> = {}, clients: BackgroundClients = aws) {
  const settings = {
    regionId: 'slc',
    signingKeysTable: tableName(deployment, 'signingKeys'),
    regionalJwksUris: {},
    deploymentName: deployment,
    keyPolicy,
    tokenFunction: 'token:live',
    leeway: 60,
  } as const;
  return createCanaryHandler(settings, clients, {
    fetchDocument: () => Promise.reject(new UnavailableError('asked')),
    selfTest: async () => ({ ok: true }),
    telemetry: { report: (run) => reports.push(run) },
    ...functions,
  });
}

/** Asks the function to publish what a rotation wrote into its intent. */
async function publish(kmsKeyArn: string) {
  const leaseUntil = Math.floor(Date.now() / 1000) + 60;
  await openStore().putKeyIntent(keyIntent({ kmsKeyArn, leaseUntil }));
  const result = await createCanary()({ action: 'publish', slot: 'slc', version: 1 });
  return { result, published: await openStore().listSigningKeys() };
}

describe('the canary, asked to publish a key', () => {
  it('publishes one that the rotation made', async () => {
    const rotation = createKmsKeys(aws.kms, { deploymentName: deployment, keyPolicy });
    const request = { intentId: 'intent', alg: 'ES256', description: '-' } as const;
    const arn = await rotation.createKey(request);
    const { result, published } = await publish(arn);
    expect(result).toEqual({ faults: [] });
    expect(published).toMatchObject([{ kmsKeyArn: arn, state: 'next', regionId: 'slc' }]);
    expect(reports).toMatchObject([{ level: 'info', outcome: 'published', metrics: {} }]);
  });

  it('refuses one that another account may use, and raises the alarm', async () => {
    const [first, ...others] = keyPolicy.Statement;
    const principals = ['arn:aws:iam::999999999999:root', first?.Principal.AWS];
    const policy = {
      ...keyPolicy,
      Statement: [{ ...first, Principal: { AWS: principals } }, ...others],
    };
    const { KeyMetadata } = await aws.kms.send(
      new CreateKeyCommand({
        KeySpec: 'ECC_NIST_P256',
        KeyUsage: 'SIGN_VERIFY',
        Policy: JSON.stringify(policy),
        BypassPolicyLockoutSafetyCheck: true,
        Tags: [{ TagKey: kmsKeyTags.deployment, TagValue: deployment }],
      }),
    );
    const { result, published } = await publish(KeyMetadata?.Arn ?? '');
    expect(result).toEqual({ faults: [expect.stringMatching(/^key policy/)] });
    expect(published).toEqual([]);
    expect(reports).toMatchObject([
      {
        level: 'error',
        outcome: 'not_published',
        fields: result,
        metrics: { SigningKeyRefused: 1 },
      },
    ]);
  });

  it.each([
    [{ action: 'publish', slot: 'slc' }, 'version'],
    [{ action: 'publish', slot: 'nowhere', version: 1 }, 'slot'],
    [{ action: 'sign' }, 'action'],
  ])('refuses the event %j', async (event, key) => {
    await expect(async () => createCanary()(event)).rejects.toThrow(key);
  });
});

describe('the canary on its schedule', () => {
  const selfTest = () => Promise.reject(new Error('KMS: denied'));
  const isNow = expect.toSatisfy((at: number) => Math.abs(at - Date.now() / 1000) < 60);

  it('records how the self-test ended, and nothing about a key that the rotation asks for', async () => {
    await createCanary({ selfTest })({});
    const selfTestProblem = 'Error: KMS: denied';
    const failed = [{ regionId: 'slc', at: isNow, selfTestProblem }];
    expect(await openStore().listCanaryRuns()).toEqual(failed);
    expect(reports.at(-1)?.fields).toEqual({ findings: [], self_test_problem: selfTestProblem });
    await createCanary()({ kid: 'A'.repeat(43) });
    expect(await openStore().listCanaryRuns()).toEqual(failed);
    await createCanary()({});
    expect(await openStore().listCanaryRuns()).toEqual([{ regionId: 'slc', at: isNow }]);
  });

  it('reports what it found when it cannot record it', async () => {
    const put = () => Promise.reject(new UnavailableError('no permission'));
    const openDynamoDb: BackgroundClients['openDynamoDb'] = (record) => {
      const tables = aws.openDynamoDb(record);
      return { ...tables, own: { ...tables.own, put } };
    };
    await createCanary({}, { ...aws, openDynamoDb })({});
    const fields = { not_recorded: expect.stringContaining('no permission') };
    expect(reports).toMatchObject([{ outcome: 'verified', fields }]);
  });
});
