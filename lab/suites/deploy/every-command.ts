import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { commandSteps, fillLine, type Made, type Step } from './command-steps.ts';

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

/** What later steps need: each text that a command printed, and the key that may be withdrawn. */
function readMade(printed: Readonly<Record<string, unknown>>): Made {
  const texts = Object.entries(printed).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value]]
      : [],
  );
  const { items = [] } = printed as {
    readonly items?: readonly Readonly<Record<string, string>>[];
  };
  const previous = items.find(({ kid, state }) => kid !== undefined && state === 'previous');
  return {
    ...(Object.fromEntries(texts) as Made),
    ...(previous?.['kid'] && { previousKid: previous['kid'] }),
  };
}

async function runStep(tour: Tour, step: Step, made: Made): Promise<Made> {
  const policy = step.as === 'account' ? undefined : policyOf(step.as);
  if (step.command === 'portal') {
    await usePortal(tour, policy);
    return made;
  }
  const { cloud, configPath, awsRegion } = tour;
  const args = [...fillLine(step.line, made), '--yes'];
  const onlyEnvironment = cloud.operatorEnvironment(awsRegion, policy);
  const { code, output, stdout } = await runCommand(authctlCommand(configPath, ...args), {
    onlyEnvironment,
    input: step.input && fillLine(step.input, made).join(' '),
  });
  assert.equal(code, step.code ?? 0, `${args.join(' ')}: ${output}`);
  const printed = readMade(JSON.parse(stdout) as Readonly<Record<string, unknown>>);
  // The key that the list showed: a rotation makes another one previous.
  const { previousKid = printed['previousKid'] } = made;
  return { ...made, ...printed, ...(previousKid && { previousKid }) };
}

/** A client that the live table has lost, in a table as DynamoDB restores one. */
async function prepareRestore({ cloud, config, configPath, awsRegion }: Tour): Promise<Made> {
  const { clientId } = await createClient(cloud.authctl(configPath, awsRegion));
  const restorePoint = new Date().toISOString();
  const { dynamodb } = cloud.aws(awsRegion);
  const live = deployedTableName(parseDeploymentConfig(config), 'clients');
  const TableName = restoredTableName('authorization-server', 'clients');
  const Key = { client_id: { S: clientId } };
  const { Item } = await dynamodb.getItem({ TableName: live, Key });
  await createTable(dynamodb, { ...tables.clients, name: TableName });
  await dynamodb.putItem({ TableName, Item });
  await dynamodb.deleteItem({ TableName: live, Key });
  return { restoredTable: TableName, restorePoint, lostClient: clientId };
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
  await assertNoTables(tour);
  const given: Made = {
    issuer: tour.provider,
    discoveryUrl: `${tour.provider}/.well-known/openid-configuration`,
    ownIssuer: tour.issuer,
    value: 'tour',
    subject: 'https://login.example.com#tour',
    serviceTrunkGroup: 'tg-limited',
    folder: mkdtempSync(join(tmpdir(), 'key-')),
    ...(await prepareRestore(tour)),
  };
  const { record } = tour.cloud.permissions;
  const before = record.decisions.length;
  // `authctl` tries the aliases that may do what a command needs, until IAM allows one.
  await record.expectDenials(isOtherAlias, () => runSteps(tour, given));
  const callers = ['restore-operator', 'signing-key-operator'];
  assert.deepEqual(tableCallers(tour, before), callers);
  const { lostClient: lost = '' } = given;
  const { cloud, configPath, awsRegion } = tour;
  const authctl = cloud.authctl(configPath, awsRegion, policyOf('client-operator'));
  await eventually(() => authctl('client', 'show', lost));
  say(`${commandSteps.flat().length} commands of authctl work`);
}
