import assert from 'node:assert/strict';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import type { Cloud, Outputs } from '../../ministack/cloud.ts';
import { createClient, eventually, say, signingKeyPolicy } from '../../ministack/proof.ts';
import { runScenarios } from '../../ministack/scenarios.ts';
import { readPage } from '../../support/markdown.ts';
import { type Credentials, requestToken } from '../../support/token-request.ts';
import { oneRegionNames } from '../deploy/one-region.ts';
import {
  attempt,
  awsRegion,
  follow,
  followAsBreakGlass,
  type OnCall,
  openPage,
  pageCommand,
  readAlarms,
  readFirstStep,
} from './page.ts';

/*
 * Incidents on a deployed region, each from what its alarm says to its end, by the commands of the
 * pages, word for word. The emulator rings nothing: test/lib/alarm-model.test.ts computes that.
 */

const config: DeploymentConfigInput = {
  ...(singleRegion as DeploymentConfigInput),
  alarmEmails: ['on-call@example.com'],
  signingKeyPolicy,
};
const stackName = 'AuthorizationServer-slc';

interface Night extends OnCall {
  readonly tokenUrl: string;
  readonly issuer: string;
  readonly client: Credentials;
}

async function deployNight(cloud: Cloud, bin: string, folder: string): Promise<Night> {
  await cloud.bootstrap(awsRegion);
  const configPath = cloud.writeConfig(config);
  const assembly = await cloud.synthesiseConfig('night', config);
  const { [stackName]: outputs } = await cloud.deploy(assembly, stackName);
  const { Issuer: issuer = '', TokenUrl: tokenUrl = '' } = outputs as Outputs;
  const client = await createClient(cloud.authctl(configPath, awsRegion));
  const alarms = await readAlarms(configPath, folder);
  const path = `${bin}:${process.env['PATH']}`;
  return { cloud, configPath, alarms, path, folder, client, tokenUrl, issuer };
}

/** Until each of three requests has the status: several instances may answer. */
const expectStatus = (night: Night, status: number, parameters?: Record<string, string>) =>
  eventually(async () => {
    for (const _ of [1, 2, 3]) {
      const response = await requestToken(night.tokenUrl, night.client, parameters);
      assert.equal(response.status, status, await response.text());
    }
  });

interface Keys {
  readonly items: readonly Readonly<Record<'kid' | 'kms_key_arn' | 'state', string>>[];
}

async function currentKey(night: Night): Promise<{ readonly kid: string; readonly arn: string }> {
  const { items } = JSON.parse(await follow(night, 'authctl signing-key list --json')) as Keys;
  const found = items.find(({ state }) => state === 'current') ?? assert.fail('no key signs');
  return { kid: found.kid, arn: found.kms_key_arn };
}

interface Incident {
  readonly title: string;
  readonly play: (night: Night) => Promise<void>;
}

interface LostKey {
  readonly title: string;
  readonly alarm: string;
  readonly call: string;
  readonly reason: RegExp;
  readonly commands: readonly string[];
  readonly linked?: string;
  readonly isDenied?: true;
  /** No administrator may run them, as the page says. */
  readonly isBreakGlass?: true;
}

const lostKey = (lost: LostKey): Incident => ({
  title: lost.title,
  play: async (night) => {
    const { arn } = await currentKey(night);
    await followAsBreakGlass(night, `aws kms ${lost.call} --key-id ${arn}`);
    const end = async () => {
      await expectStatus(night, 503);
      assert.match(await readFirstStep(night, 'token-unavailable'), lost.reason);
      const page = openPage(night, lost.alarm);
      for (const first of lost.commands) {
        const values = { KEY_ARN: arn, ' ARN': ` ${arn}` };
        const command = pageCommand(lost.linked ?? page, first, values);
        if (lost.isBreakGlass) {
          assert.match((await attempt(night, command)).output, /AccessDenied/);
          await followAsBreakGlass(night, command);
        } else await follow(night, command);
      }
      await expectStatus(night, 200);
    };
    const { record } = night.cloud.permissions;
    await (lost.isDenied
      ? record.expectDenials(({ action }) => action.startsWith('kms:'), end)
      : end());
  },
});

const statement = (Effect: string, Action: string) =>
  `{"Effect":"${Effect}","Action":"${Action}","Resource":"*","Principal":{"AWS":"arn:aws:iam::000000000000:root"}}`;
const noOneSigns = `{"Version":"2012-10-17","Statement":[${statement('Allow', 'kms:*')},${statement('Deny', 'kms:Sign')}]}`;

const keyIncidents: readonly Incident[] = [
  lostKey({
    title: 'The signing key is disabled, and the next one may not sign yet',
    alarm: 'signing-key-disabled',
    call: 'disable-key',
    reason: /DisabledException/,
    commands: ['aws kms enable-key'],
  }),
  lostKey({
    title: 'The deletion of the signing key is scheduled',
    alarm: 'signing-key-deletion-scheduled',
    call: 'schedule-key-deletion --pending-window-in-days 30',
    reason: /KMSInvalidStateException/,
    commands: ['aws kms cancel-key-deletion', 'aws kms enable-key'],
  }),
  lostKey({
    title: 'The signing key loses its tag',
    alarm: 'signing-key-untagged',
    call: 'untag-resource --tag-keys authorization-server:deployment',
    reason: /AccessDeniedException, IAM does not allow kms:Sign/,
    commands: ['aws kms tag-resource'],
    isDenied: true,
    isBreakGlass: true,
  }),
  lostKey({
    title: 'The policy of the signing key is replaced by one that no one signs with',
    alarm: 'signing-key-policy-changed',
    call: `put-key-policy --policy-name default --policy '${noOneSigns}'`,
    reason: /explicit deny in a resource-based policy/,
    linked: 'docs/upgrade.md',
    commands: ['aws kms put-key-policy'],
    isDenied: true,
  }),
  {
    title: 'The signing key is disabled, and the next one signs',
    play: async (night) => {
      await night.cloud.ageNextKey(parseDeploymentConfig(config), 'slc');
      const { arn: ARN } = await currentKey(night);
      await followAsBreakGlass(night, `aws kms disable-key --key-id ${ARN}`);
      await eventually(async () => {
        await expectStatus(night, 200);
        const log = await readFirstStep(night, 'signing-key-fallback');
        assert.match(log, /"unusable_reasons":\["[^"]*DisabledException/);
      });
      const page = openPage(night, 'signing-key-fallback');
      await follow(night, pageCommand(page, 'aws kms enable-key', { ARN }));
    },
  },
  {
    title: 'The signing key has signed for a stranger',
    play: async (night) => {
      // Since the incident before, a run of the rotation may have promoted the key that was aged.
      await night.cloud.ageNextKey(parseDeploymentConfig(config), 'slc');
      const { kid: KID } = await currentKey(night);
      const page = openPage(night, 'signing-key-foreign-sign');
      // `--yes`, as there is no terminal to answer in.
      await follow(night, `${pageCommand(page, 'signing-key withdraw', { KID })} --yes`);
      assert.notEqual((await currentKey(night)).kid, KID);
    },
  },
];

const procedure = 'docs/procedures/go-back.md';

/** The commands of the procedure for another function than that of its example. */
const procedureFor = (name: string, first: string, version = ''): string =>
  pageCommand(procedure, first, { VERSION: 'VERSION' })
    .replace(/(?<=^FUNCTION=authorization-server-).*$/m, name)
    .replace('VERSION=41', `VERSION=${version}`);

async function listNewestVersions(night: Night, name: string): Promise<readonly string[]> {
  const list = await followAsBreakGlass(night, procedureFor(name, 'list-versions-by-function'));
  return [...list.matchAll(/^(\d+)\t/gm)].map(([, number = '']) => number).toReversed();
}

/** A version that cannot start takes all requests, and the one before comes back. */
const broken = (name: string, isBroken: (night: Night) => Promise<boolean>): Incident => ({
  title: `The newest version of ${name} cannot start`,
  play: async (night) => {
    const configure = `aws lambda update-function-configuration --function-name authorization-server-${name}`;
    const [good = ''] = await listNewestVersions(night, name);
    const move = (version: string) => procedureFor(name, 'AdditionalVersionWeights', version);
    await followAsBreakGlass(night, `${configure} --handler index.missing`);
    const publish = `aws lambda publish-version --function-name authorization-server-${name}`;
    const bad = await followAsBreakGlass(night, `${publish} --query Version --output text`);
    await followAsBreakGlass(night, move(bad.trim()));
    await eventually(async () => assert.equal(await isBroken(night), true));
    const page = openPage(night, `${name}-function-errors`);
    assert.match(readPage(page), /procedures\/go-back\.md\)/);
    await followAsBreakGlass(night, move(good));
    await eventually(async () => assert.equal(await isBroken(night), false));
    await followAsBreakGlass(night, `${configure} --handler index.handler`);
  },
});

const fails = (path: string) => async (night: Night) =>
  (await fetch(`${night.issuer}${path}`)).status >= 500;

const operatorFails = async (night: Night): Promise<boolean> =>
  (await attempt(night, `authctl client show ${night.client.clientId}`)).code !== 0;

const functionIncidents: readonly Incident[] = [
  broken('token', fails('/health')),
  broken('discovery', fails('/.well-known/openid-configuration')),
  broken('jwks', fails('/.well-known/jwks.json')),
  broken('management', operatorFails),
  ...['token', 'discovery', 'jwks', 'management', 'canary', 'key-rotation', 'synthetic-check'].map(
    (name): Incident => ({
      title: `The function ${name} is restarted`,
      play: async (night) => {
        await followAsBreakGlass(night, procedureFor(name, 'update-function-configuration'));
        assert.equal(await operatorFails(night), false);
      },
    }),
  ),
];

const clientIncidents: readonly Incident[] = [
  {
    title: 'A config refuses what was accepted',
    play: async (night) => {
      const parameters = { audience: config.defaultAudience };
      await expectStatus(night, 200, parameters);
      const changed = { ...config, audienceParameter: 'refuse' as const };
      await night.cloud.deploy(await night.cloud.synthesiseConfig('refuse', changed), stackName);
      await expectStatus(night, 400, parameters);
      assert.match(await readFirstStep(night, 'token-refusals'), /"Refusals":1/);
      assert.match(readPage(openPage(night, 'token-refusals')), /procedures\/go-back\.md\)/);
      const [, before = ''] = await listNewestVersions(night, 'token');
      await followAsBreakGlass(night, procedureFor('token', 'AdditionalVersionWeights', before));
      await expectStatus(night, 200, parameters);
    },
  },
  {
    title: 'Twenty clients are deleted',
    play: async (night) => {
      for (let deleted = 0; deleted < 20; deleted += 1) {
        const { clientId } = await createClient(night.cloud.authctl(night.configPath, awsRegion));
        assert.equal((await attempt(night, `authctl client delete ${clientId} --yes`)).code, 0);
      }
      assert.ok((await readFirstStep(night, 'mass-removals')).split('"Removals":1').length > 20);
      const page = openPage(night, 'mass-removals');
      await followAsBreakGlass(night, pageCommand(page, 'put-function-concurrency'));
      await expectStatus(night, 200);
      await followAsBreakGlass(night, pageCommand(page, 'delete-function-concurrency'));
    },
  },
];

const incidents = [...keyIncidents, ...clientIncidents, ...functionIncidents];

await runScenarios({
  night: {
    title: `The bad night: ${incidents.length} incidents`,
    names: oneRegionNames,
    prove: async (cloud, { bin, folder }) => {
      const night = await deployNight(cloud, bin, folder);
      for (const { title, play } of incidents) {
        say(`-- ${title}`);
        await expectStatus(night, 200);
        await play(night);
        await expectStatus(night, 200);
      }
    },
  },
});
