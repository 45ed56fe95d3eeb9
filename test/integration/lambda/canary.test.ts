import { CreateGrantCommand, CreateKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { describe, expect, it } from 'vitest';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import { kmsKeyPolicy, kmsKeyTags } from '../../../contract/kms-key.ts';
import { tableName } from '../../../contract/tables.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { AwsClients } from '../../../lab/support/aws-clients.ts';
import { readEnvironment } from '../../../lab/support/read-environment.ts';
import { createCanaryHandler } from '../../../lambda/canary/function.ts';
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

/** Makes a key as the rotation does, but for what is given. */
async function makeKey(kms: KMSClient, more: { policy?: object; spec?: 'RSA_2048' } = {}) {
  const { KeyMetadata } = await kms.send(
    new CreateKeyCommand({
      KeySpec: more.spec ?? 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
      Policy: JSON.stringify(more.policy ?? keyPolicy),
      BypassPolicyLockoutSafetyCheck: true,
      Tags: [{ TagKey: kmsKeyTags.deployment, TagValue: deployment }],
    }),
  );
  return KeyMetadata?.Arn ?? '';
}

/** Asks the function to publish what a rotation wrote into its intent. */
async function publish(kmsKeyArn: string) {
  const environment = readEnvironment('canary', {
    AUTH_REGION_ID: 'slc',
    AUTH_SIGNING_KEYS_TABLE: tableName(deployment, 'signingKeys'),
    AUTH_REGIONAL_JWKS_URIS: '{}',
    AUTH_DEPLOYMENT_NAME: deployment,
    AUTH_KMS_KEY_POLICY: JSON.stringify(keyPolicy),
    AUTH_LEEWAY: '60',
  });
  const canary = createCanaryHandler(environment, aws, {
    fetchDocument: () => Promise.reject(new UnavailableError('asked')),
    telemetry: { report: (run) => reports.push(run) },
  });
  const leaseUntil = Math.floor(Date.now() / 1000) + 60;
  await openStore().putKeyIntent(keyIntent({ kmsKeyArn, leaseUntil }));
  const result = await canary({ action: 'publish', slot: 'slc', version: 1 });
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

  const [first, ...others] = keyPolicy.Statement;
  it.each<[what: string, make: () => Promise<string>, fault: RegExp]>([
    [
      'that another account may use',
      () =>
        makeKey(aws.kms, {
          policy: {
            ...keyPolicy,
            Statement: [
              {
                ...first,
                Principal: { AWS: ['arn:aws:iam::999999999999:root', first?.Principal.AWS] },
              },
              ...others,
            ],
          },
        }),
      /^key policy/,
    ],
    [
      'with a grant',
      async () => {
        const KeyId = await makeKey(aws.kms);
        const GranteePrincipal = 'arn:aws:iam::999999999999:root';
        await aws.kms.send(
          new CreateGrantCommand({ KeyId, GranteePrincipal, Operations: ['Sign'] }),
        );
        return KeyId;
      },
      /^grants: received 1/,
    ],
    ['of another spec', () => makeKey(aws.kms, { spec: 'RSA_2048' }), /^KeySpec: received RSA/],
    [
      'that is disabled',
      async () => {
        const arn = await makeKey(aws.kms);
        await createKmsKeys(aws.kms, { deploymentName: deployment, keyPolicy }).disableKey(arn);
        return arn;
      },
      /^state: received disabled/,
    ],
  ])('refuses one %s, and raises the alarm', async (_, make, fault) => {
    const { result, published } = await publish(await make());
    expect(result).toMatchObject({
      faults: expect.arrayContaining([expect.stringMatching(fault)]),
    });
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
    const environment = readEnvironment('canary', {
      AUTH_REGION_ID: 'slc',
      AUTH_SIGNING_KEYS_TABLE: 'none',
      AUTH_REGIONAL_JWKS_URIS: '{}',
      AUTH_DEPLOYMENT_NAME: deployment,
      AUTH_KMS_KEY_POLICY: '{}',
      AUTH_LEEWAY: '60',
    });
    const canary = createCanaryHandler(environment, aws, { fetchDocument: async () => ({}) });
    await expect(async () => canary(event)).rejects.toThrow(key);
  });
});
