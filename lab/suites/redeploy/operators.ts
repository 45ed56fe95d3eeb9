import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IAM } from '@aws-sdk/client-iam';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { type OperatorGroupName, operatorGroups } from '../../../contract/operator-permissions.ts';
import { authctlCommand, type Cloud } from '../../ministack/cloud.ts';
import { account } from '../../ministack/permissions/function-key.ts';
import { policyOf } from '../../ministack/proof.ts';
import { type Command, runCommand } from '../../support/run-command.ts';
import { awsRegion } from './release.ts';

/** What an operator runs. */
type OperatorCommand = readonly [as: OperatorGroupName, ...args: string[]];

const user = 'ada';
const groupNames = Object.keys(operatorGroups);

const policyArn = (group: string) => `arn:aws:iam::${account}:policy/${policyOf(group)}`;

/** What IAM says of an operator policy. The id is another one if it was deleted and created again. */
async function readPolicy(iam: IAM, group: string) {
  const PolicyArn = policyArn(group);
  const { Policy } = await iam.getPolicy({ PolicyArn });
  const { PolicyUsers = [] } = await iam.listEntitiesForPolicy({ PolicyArn });
  const users = PolicyUsers.map(({ UserName }) => UserName);
  return { arn: Policy?.Arn, id: Policy?.PolicyId, users };
}

/** A version that was deployed before. */
interface Former {
  /** Its files, with its packages. */
  readonly source: string;
  readonly config: DeploymentConfigInput;
  /** A client of its deployment. */
  readonly clientId: string;
}

/** How to run the version's own `authctl` with the config. */
function formerAuthctl({ source, config }: Former): Command {
  const configPath = join(source, 'former-config.json');
  writeFileSync(configPath, JSON.stringify(config));
  return [process.execPath, join(source, 'cli/authctl.ts'), '--config', configPath];
}

export type Operators = Awaited<ReturnType<typeof attachOperators>>;

/** A user of IAM gets all operator policies of a version that was deployed. */
export async function attachOperators(cloud: Cloud, version: Former) {
  const { iam } = cloud.aws('us-east-1');
  const authctl = formerAuthctl(version);
  const found = groupNames.map(async (name) => {
    const policy = cloud.permissions.deployed.managedPolicy(policyOf(name));
    return (await policy.catch(() => undefined)) === undefined ? [] : [name];
  });
  const groups = (await Promise.all(found)).flat();
  await iam.createUser({ UserName: user });
  for (const group of groups) {
    await iam.attachUserPolicy({ UserName: user, PolicyArn: policyArn(group) });
  }
  const readPolicies = () => Promise.all(groups.map((group) => readPolicy(iam, group)));
  const before = await readPolicies();
  const run = async (group: string, command: Command) => {
    const onlyEnvironment = cloud.operatorEnvironment(awsRegion, policyOf(group));
    const { code, output } = await runCommand(command, { onlyEnvironment });
    return { code, text: output.trim() };
  };
  return {
    /** The policies are those of before, and attached; IAM deletes none that is. */
    assertAttached: async () => {
      assert.ok(before.every(({ users }) => users.includes(user)));
      assert.deepEqual(await readPolicies(), before);
      const PolicyArn = policyArn('client-operator');
      await assert.rejects(iam.deletePolicy({ PolicyArn }), /DeleteConflict|attached/);
    },
    /** Runs the version's own `authctl` with its own config. */
    former: ([group, ...args]: OperatorCommand) => run(group, [...authctl, ...args]),
    /** Runs today's `authctl`. */
    today: (config: DeploymentConfigInput, [group, ...args]: OperatorCommand) =>
      run(group, authctlCommand(cloud.writeConfig(config), ...args)),
    /** Commands of every group that works through the management function. */
    moved: [
      ['client-operator', 'client', 'list'],
      ['client-operator', 'client', 'show', version.clientId],
      ['client-operator', 'client-secret', 'list', version.clientId],
      ['client-operator', 'explain', 'token', '--client-id', version.clientId],
      ['api-key-operator', 'api-key', 'list'],
      ['provider-operator', 'provider', 'list'],
      ['auditor', 'audit', 'list'],
    ] satisfies readonly OperatorCommand[],
    /** Commands that need no function. */
    kept: [
      ['client-operator', 'scope', 'list'],
      ['signing-key-operator', 'signing-key', 'list'],
    ] satisfies readonly OperatorCommand[],
  };
}

/** The version's `authctl` works with every command, and today's with those of the function. */
export async function assertWork(
  { former, today, moved, kept }: Operators,
  config: DeploymentConfigInput,
) {
  const runAll = async (run: typeof former, commands: readonly OperatorCommand[]) => {
    const runs = commands.map(async (command) => {
      const { code, text } = await run(command);
      assert.equal(code, 0, `${command.join(' ')}: ${text}`);
    });
    await Promise.all(runs);
  };
  await runAll(former, [...moved, ...kept]);
  await runAll((command) => today(config, command), moved);
}

/** The update has taken nothing from the policies that operators use. */
export async function proveOperatorsAfterUpdate(
  operators: Operators,
  config: DeploymentConfigInput,
): Promise<void> {
  await operators.assertAttached();
  await assertWork(operators, config);
}
