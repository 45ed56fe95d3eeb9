import assert from 'node:assert/strict';
import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import { type OperatorGroup, operatorGroups } from '../../../contract/operator-permissions.ts';
import { deployedTableName, restoredTableName, tables } from '../../../contract/tables.ts';
import type { DecidedRequest } from '../../emulator/iam/authorizer.ts';
import { authctlCommand, type Cloud } from '../../ministack/cloud.ts';
import { createClient, eventually, policyOf, say } from '../../ministack/proof.ts';
import { createTable } from '../../support/create-tables.ts';
import { signIn, startPortalProcess } from '../../support/portal-process.ts';
import { runCommand } from '../../support/run-command.ts';
import { commandSteps, listCommands, type Made, type Step } from './command-steps.ts';

/** A deployment whose operators have no access to the tables that the function manages. */
interface Tour {
  readonly cloud: Cloud;
  readonly config: DeploymentConfigInput;
  readonly configPath: string;
  readonly awsRegion: string;
  readonly issuer: string;
  /** Issuer of a provider that the deployed functions reach. */
  readonly provider: string;
}

async function assertNoTables({ cloud }: Tour): Promise<void> {
  for (const [name, { alias }] of Object.entries<OperatorGroup>(operatorGroups)) {
    const { document } = await cloud.permissions.deployed.managedPolicy(policyOf(name));
    const actions = document.Statement.map((one): unknown => Reflect.get(one, 'Action'));
    if (alias !== undefined) assert.deepEqual(actions, ['lambda:InvokeFunction'], name);
  }
}

/** Looks at the clients in the portal on this machine, as the operator. */
async function usePortal({ cloud, configPath, awsRegion }: Tour, policy?: string): Promise<void> {
  const environment = cloud.operatorEnvironment(awsRegion, policy);
  const portal = await startPortalProcess({ args: ['--config', configPath], environment });
  try {
    const page = await (await signIn(portal)).get('/clients');
    assert.match(await page.text(), /tg-tour/);
  } finally {
    await portal.stop();
  }
}

async function runStep(tour: Tour, step: Step, made: Made): Promise<Made> {
  const policy = step.as === 'account' ? undefined : policyOf(step.as);
  if (step.command === 'portal') {
    await usePortal(tour, policy);
    return made;
  }
  const { cloud, configPath, awsRegion } = tour;
  const args = [...step.command.split(' '), ...(step.args?.(made) ?? []), '--yes'];
  const onlyEnvironment = cloud.operatorEnvironment(awsRegion, policy);
  const { code, output, stdout } = await runCommand(authctlCommand(configPath, ...args), {
    onlyEnvironment,
    input: step.input?.(made),
  });
  assert.equal(code, step.code ?? 0, `${args.join(' ')}: ${output}`);
  const printed = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  return { ...made, ...step.keep?.(printed) };
}

/** A client that the live table has lost, in a table as DynamoDB restores one. */
async function prepareRestore({ cloud, config, configPath, awsRegion }: Tour): Promise<Made> {
  const { clientId } = await createClient(cloud.authctl(configPath, awsRegion));
  const restorePoint = new Date().toISOString();
  const dynamodb = new DynamoDBClient(cloud.sdk(awsRegion));
  const live = deployedTableName(parseDeploymentConfig(config), 'clients');
  const TableName = restoredTableName('authorization-server', 'clients');
  const Key = { client_id: { S: clientId } };
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: live, Key }));
  await createTable(dynamodb, { ...tables.clients, name: TableName });
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
  await dynamodb.send(new DeleteItemCommand({ TableName: live, Key }));
  dynamodb.destroy();
  return { restored_table: TableName, restore_point: restorePoint, lost_client: clientId };
}

async function runSteps(tour: Tour, given: Made): Promise<void> {
  const rows = commandSteps.map(async (row) => {
    let made = given;
    for (const step of row) made = await runStep(tour, step, made);
  });
  await Promise.all(rows);
}

/** An operator's call of an alias of the management function that is not in the policy. */
function isOtherAlias({ principal, action, resource }: DecidedRequest): boolean {
  const [, alias] = /:function:authorization-server-management:([\w-]+)$/.exec(resource) ?? [];
  if (action !== 'lambda:InvokeFunction' || alias === undefined) return false;
  return principal.includes(':user/') && !principal.endsWith(`-${alias}`);
}

/** Calls of DynamoDB that operators made, by policy. */
function tableCallers({ cloud }: Tour, since: number): readonly string[] {
  const calls = cloud.permissions.record.decisions
    .slice(since)
    .filter(
      ({ principal, action }) => principal.includes(':user/') && action.startsWith('dynamodb:'),
    )
    .map(({ principal }) => principal.replace(/^.*:user\/(?:authorization-server-slc-)?/, ''));
  return [...new Set(calls)].toSorted();
}

/**
 * Runs every command of the command line, each as a user with one deployed operator policy. None of
 * the policies that have an alias of the management function allows anything else.
 */
export async function proveEveryCommand(tour: Tour): Promise<void> {
  const steps = commandSteps.flat();
  const rows = new Set(steps.map(({ command }) => command));
  assert.deepEqual([...rows].toSorted(), listCommands().toSorted(), 'one step for each command');
  await assertNoTables(tour);
  const issuers = { issuer: tour.provider, own_issuer: tour.issuer };
  const given: Made = { ...issuers, ...(await prepareRestore(tour)) };
  const { record } = tour.cloud.permissions;
  const before = record.decisions.length;
  // `authctl` tries the aliases that may do what a command needs, until IAM allows one.
  await record.expectDenials(isOtherAlias, () => runSteps(tour, given));
  const callers = ['restore-operator', 'signing-key-operator'];
  assert.deepEqual(tableCallers(tour, before), callers);
  const { lost_client: lost = '' } = given;
  const { cloud, configPath, awsRegion } = tour;
  const authctl = cloud.authctl(configPath, awsRegion, policyOf('client-operator'));
  await eventually(() => authctl('client', 'show', lost));
  say(`${rows.size} commands of authctl work`);
}
