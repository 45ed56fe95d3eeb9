import assert from 'node:assert/strict';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import type { Cloud, Outputs } from '../../ministack/cloud.ts';
import {
  createClient,
  eventually,
  getToken,
  say,
  signingKeyPolicy,
} from '../../ministack/proof.ts';
import { type Credentials, requestToken } from '../../support/token-request.ts';
import {
  attempt,
  awsRegion,
  follow,
  followAsBreakGlass,
  type OnCall,
  openPage,
  pageCommand,
} from './page.ts';

const config: DeploymentConfigInput = {
  ...(singleRegion as DeploymentConfigInput),
  alarmEmails: ['on-call@example.com'],
  terminationProtection: false,
  signingKeyPolicy,
};

/** The deployment, and a client of it. */
interface Night extends OnCall {
  readonly tokenUrl: string;
  readonly issuer: string;
  readonly client: Credentials;
}

async function deploy(cloud: Cloud, bin: string): Promise<Night> {
  await cloud.bootstrap(awsRegion);
  const configPath = cloud.writeConfig(config);
  const { directory, ...assembly } = await cloud.synthesiseConfig('night', config);
  const outputs = await cloud.deploy({ directory, ...assembly }, 'AuthorizationServer-slc');
  const { Issuer, TokenUrl } = outputs['AuthorizationServer-slc'] as Outputs;
  const client = await createClient(cloud.authctl(configPath, awsRegion));
  return {
    cloud,
    configPath,
    assembly: directory,
    bin,
    client,
    tokenUrl: String(TokenUrl),
    issuer: String(Issuer),
  };
}

async function statusOf({ tokenUrl, client }: Night): Promise<number> {
  return (await requestToken(tokenUrl, client)).status;
}

/** Until each of three requests has the status: several instances may answer. */
const expectStatus = (night: Night, status: number): Promise<void> =>
  eventually(async () => {
    for (const _ of [1, 2, 3]) assert.equal(await statusOf(night), status);
  });

interface ListedKey {
  readonly kid: string;
  readonly kms_key_arn: string;
  readonly state: string;
}

async function currentKey(night: Night): Promise<ListedKey> {
  const keys = JSON.parse(await follow(night, 'authctl signing-key list --json')) as {
    readonly items: readonly ListedKey[];
  };
  return keys.items.find(({ state }) => state === 'current') ?? assert.fail('no current key');
}

/** Plays one incident: the state before, what happens, what the page says, the state after. */
async function play(title: string, night: Night, incident: () => Promise<void>): Promise<void> {
  await expectStatus(night, 200);
  process.stdout.write(`  -- ${title}\n`);
  await incident();
  await expectStatus(night, 200);
}

const logOf = (night: Night, id: string) => {
  say(`the alarm ${id} leads to ${openPage(night, id)}`);
};

export async function playNight(cloud: Cloud, { bin }: { readonly bin: string }): Promise<void> {
  const night = await deploy(cloud, bin);
  await getToken(night.tokenUrl, night.client);
  const { kms_key_arn: arn } = await currentKey(night);
  void parseDeploymentConfig;
  await play('A signing key is disabled', night, async () => {
    await followAsBreakGlass(night, `aws kms disable-key --key-id ${arn}`);
    await expectStatus(night, 503);
    logOf(night, 'signing-key-disabled');
    const tail =
      "aws logs tail /aws/lambda/authorization-server-token --since 10m --filter-pattern '{ $.status = 503 }'";
    const logs = await attempt(night, tail);
    say(`logs: ${logs.code} ${logs.output.slice(0, 1500)}`);
    await follow(
      night,
      pageCommand('docs/runbook/signing-key-disabled.md', 'aws kms enable-key', { ARN: arn }),
    );
  });
  await play('The tag of a signing key is removed', night, async () => {
    await followAsBreakGlass(
      night,
      `aws kms untag-resource --key-id ${arn} --tag-keys authorization-server:deployment`,
    );
    await cloud.permissions.record.expectDenials(
      ({ action }) => action.startsWith('kms:'),
      async () => {
        await expectStatus(night, 503);
        const command = pageCommand(
          openPage(night, 'signing-key-untagged'),
          'aws kms tag-resource',
          { KEY_ARN: arn },
        );
        const refused = await attempt(night, command);
        say(`tag: ${refused.code} ${refused.output}`);
        await followAsBreakGlass(night, command);
        await expectStatus(night, 200);
      },
    );
  });
}
