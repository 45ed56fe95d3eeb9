import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AttachUserPolicyCommand,
  CreateUserCommand,
  DeletePolicyCommand,
  GetPolicyCommand,
  IAMClient,
  ListEntitiesForPolicyCommand,
} from '@aws-sdk/client-iam';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { operatorPolicyName } from '../../../contract/function-names.ts';
import { type OperatorGroupName, operatorGroups } from '../../../contract/operator-permissions.ts';
import { authctlCommand, type Cloud } from '../../ministack/cloud.ts';
import { account } from '../../ministack/permissions/function-key.ts';
import { say } from '../../ministack/proof.ts';
import { codeBlocks, readPage, root } from '../../support/markdown.ts';
import { readRelease } from '../../support/releases/kept-release.ts';
import { runCommand } from '../../support/run-command.ts';
import { example } from '../deploy/three-regions.ts';
import { awsRegion } from './release.ts';

/** What IAM says of an operator policy. */
interface PolicyState {
  readonly arn: string;
  /** Another one, if the policy was deleted and created again. */
  readonly id: string;
  readonly users: readonly string[];
}

/** What `authctl` printed. */
interface Said {
  readonly code: number | undefined;
  readonly text: string;
}

type Command = readonly [as: OperatorGroupName, ...args: string[]];

const user = 'ada';

const policyName = (group: string) => operatorPolicyName(String(example.name), 'slc', group);

const policyArn = (group: string) => `arn:aws:iam::${account}:policy/${policyName(group)}`;

/** Operators of a deployment that a release has made, and its `authctl`. */
export class Operators {
  readonly #cloud: Cloud;
  readonly #iam: IAMClient;
  /** Groups whose policies the release has. */
  readonly #groups: readonly OperatorGroupName[];
  readonly #clientId: string;
  readonly #authctl: string;
  readonly #config: string;
  #before: Readonly<Record<string, PolicyState>> = {};

  private constructor(cloud: Cloud, release: Former, groups: readonly OperatorGroupName[]) {
    this.#cloud = cloud;
    this.#iam = new IAMClient(cloud.sdk('us-east-1'));
    this.#groups = groups;
    this.#clientId = release.clientId;
    this.#authctl = join(release.folder, 'authctl.mjs');
    this.#config = join(release.folder, 'former-config.json');
    writeFileSync(this.#authctl, readRelease(release.version).authctl);
    symlinkSync(join(root, 'node_modules'), join(release.folder, 'node_modules'));
    writeFileSync(this.#config, JSON.stringify(release.config));
  }

  /** A user of IAM gets all operator policies of the release. */
  static async attach(cloud: Cloud, release: Former): Promise<Operators> {
    const templates = JSON.stringify(readRelease(release.version).deployments['one-region']);
    const names = Object.keys(operatorGroups) as OperatorGroupName[];
    const groups = names.filter((name) => templates.includes(policyName(name)));
    const operators = new Operators(cloud, release, groups);
    await operators.#iam.send(new CreateUserCommand({ UserName: user }));
    for (const group of groups) {
      const attachment = { UserName: user, PolicyArn: policyArn(group) };
      await operators.#iam.send(new AttachUserPolicyCommand(attachment));
    }
    operators.#before = await operators.#readPolicies();
    return operators;
  }

  async #readPolicies(): Promise<Readonly<Record<string, PolicyState>>> {
    const read = this.#groups.map(async (group) => {
      const PolicyArn = policyArn(group);
      const { Policy } = await this.#iam.send(new GetPolicyCommand({ PolicyArn }));
      const { PolicyUsers = [] } = await this.#iam.send(
        new ListEntitiesForPolicyCommand({ PolicyArn }),
      );
      const users = PolicyUsers.map(({ UserName }) => String(UserName));
      return [group, { arn: String(Policy?.Arn), id: String(Policy?.PolicyId), users }] as const;
    });
    return Object.fromEntries(await Promise.all(read));
  }

  /** The policies are those of before, and attached; IAM deletes none that is. */
  async assertAttached(): Promise<void> {
    assert.ok(Object.values(this.#before).every(({ users }) => users.includes(user)));
    assert.deepEqual(await this.#readPolicies(), this.#before);
    const PolicyArn = policyArn('client-operator');
    await assert.rejects(
      this.#iam.send(new DeletePolicyCommand({ PolicyArn })),
      /DeleteConflict|attached/,
    );
  }

  /** Says how many statements the operator policies have, and how many of them are about tables. */
  async sayStatements(when: string): Promise<void> {
    const names = Object.keys(operatorGroups);
    const statements = await Promise.all(
      names.map(async (name) => {
        const known = this.#cloud.permissions.deployed.managedPolicy(policyName(name));
        const policy = await known.catch(() => undefined);
        return policy?.document.Statement ?? [];
      }),
    );
    const all = statements.flat().map((statement) => JSON.stringify(statement));
    const onTables = all.filter((one) => one.includes('dynamodb:'));
    const policies = statements.filter((one) => one.length > 0).length;
    say(
      `${when}: ${policies} operator policies have ${all.length} statements, ${onTables.length} of them about tables`,
    );
  }

  /** Runs the release's own `authctl` with its own config. */
  former([group, ...args]: Command): Promise<Said> {
    return this.#run(group, [process.execPath, this.#authctl, '--config', this.#config, ...args]);
  }

  /** Runs today's `authctl`. */
  today(config: DeploymentConfigInput, [group, ...args]: Command): Promise<Said> {
    return this.#run(group, authctlCommand(this.#cloud.writeConfig(config), ...args));
  }

  async #run(group: OperatorGroupName, command: readonly [string, ...string[]]): Promise<Said> {
    const onlyEnvironment = this.#cloud.operatorEnvironment(policyName(group), awsRegion);
    const { code, output } = await runCommand(command, { onlyEnvironment });
    return { code, text: output.trim() };
  }

  /** Commands of every group that works through the management function. */
  moved(): readonly Command[] {
    const id = this.#clientId;
    return [
      ['client-operator', 'client', 'list'],
      ['client-operator', 'client', 'show', id],
      ['client-operator', 'client-secret', 'list', id],
      ['client-operator', 'explain', 'token', '--client-id', id],
      ['api-key-operator', 'api-key', 'list'],
      ['provider-operator', 'provider', 'list'],
      ['auditor', 'audit', 'list'],
    ];
  }

  /** Commands that need no function. */
  kept(): readonly Command[] {
    return [
      ['client-operator', 'scope', 'list'],
      ['signing-key-operator', 'signing-key', 'list'],
      ['restore-operator', 'audit', 'list', '--through', 'tables'],
    ];
  }
}

/** A release that was deployed before. */
interface Former {
  readonly version: string;
  readonly config: DeploymentConfigInput;
  /** A client of its deployment. */
  readonly clientId: string;
  /** For its `authctl`. */
  readonly folder: string;
}

/** What docs/upgrade.md shows that the former `authctl` prints. */
function documentedRefusal(): string {
  const shown = codeBlocks(readPage('docs/upgrade.md')).filter(
    ({ language }) => language === 'text',
  );
  assert.equal(shown.length, 1, 'docs/upgrade.md shows one text of the former authctl');
  return shown[0]?.lines.join('\n') ?? '';
}

async function assertWorks(run: (command: Command) => Promise<Said>, commands: readonly Command[]) {
  await Promise.all(
    commands.map(async (command) => {
      const { code, text } = await run(command);
      assert.equal(code, 0, `${command.join(' ')}: ${text}`);
    }),
  );
}

/** Both `authctl` on what the release has deployed. */
export async function proveOperatorsBefore(
  operators: Operators,
  config: DeploymentConfigInput,
): Promise<void> {
  await operators.sayStatements('before the update');
  await assertWorks((one) => operators.former(one), [...operators.moved(), ...operators.kept()]);
  await assertWorks((one) => operators.today(config, one), operators.moved());
}

/** The update has taken the tables from the policies, and nothing else that operators use. */
export async function proveOperatorsAfterUpdate(
  cloud: Cloud,
  operators: Operators,
  config: DeploymentConfigInput,
): Promise<void> {
  await operators.assertAttached();
  const denied = documentedRefusal();
  await cloud.permissions.record.expectDenials(
    ({ action }) => action.startsWith('dynamodb:'),
    async () => {
      const refused = operators.moved().map(async (command) => {
        const { code, text } = await operators.former([...command, '--through', 'tables']);
        assert.deepEqual([code, text], [1, denied], command.join(' '));
      });
      await Promise.all(refused);
    },
  );
  await assertWorks((one) => operators.former(one), [...operators.moved(), ...operators.kept()]);
  await assertWorks((one) => operators.today(config, one), operators.moved());
  await operators.sayStatements('after it');
  say(`the former authctl on the tables prints: ${denied}`);
}
