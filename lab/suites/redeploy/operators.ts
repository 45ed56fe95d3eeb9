import assert from 'node:assert/strict';
import type { IAM } from '@aws-sdk/client-iam';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { type OperatorGroupName, operatorGroups } from '../../../contract/operator-permissions.ts';
import { authctlCommand, type Cloud } from '../../ministack/cloud.ts';
import { account } from '../../ministack/permissions/function-key.ts';
import { policyOf } from '../../ministack/proof.ts';
import { runCommand } from '../../support/run-command.ts';
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

export type Operators = Awaited<ReturnType<typeof attachOperators>>;

/**
 * A user of IAM gets all operator policies of a deployment.
 *
 * @param clientId of a client of the deployment.
 */
export async function attachOperators(
  cloud: Cloud,
  config: DeploymentConfigInput,
  clientId: string,
) {
  const { iam } = cloud.aws('us-east-1');
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
  const run = async ([group, ...args]: OperatorCommand) => {
    const onlyEnvironment = cloud.operatorEnvironment(awsRegion, policyOf(group));
    const command = authctlCommand(cloud.writeConfig(config), ...args);
    const { code, output } = await runCommand(command, { onlyEnvironment });
    assert.equal(code, 0, `${args.join(' ')}: ${output}`);
  };
  const commands: readonly OperatorCommand[] = [
    ['client-operator', 'client', 'list'],
    ['client-operator', 'client', 'show', clientId],
    ['client-operator', 'client-secret', 'list', clientId],
    ['client-operator', 'explain', 'token', '--client-id', clientId],
    ['client-operator', 'scope', 'list'],
    ['api-key-operator', 'api-key', 'list'],
    ['provider-operator', 'provider', 'list'],
    ['signing-key-operator', 'signing-key', 'list'],
    ['auditor', 'audit', 'list'],
  ];
  return {
    /** The policies are those of before, and attached; IAM deletes none that is. */
    assertAttached: async () => {
      assert.ok(before.every(({ users }) => users.includes(user)));
      assert.deepEqual(await readPolicies(), before);
      const PolicyArn = policyArn('client-operator');
      await assert.rejects(iam.deletePolicy({ PolicyArn }), /DeleteConflict|attached/);
    },
    /** A command of every group works with its policy. */
    assertWork: async () => {
      await Promise.all(commands.map(run));
    },
  };
}
