import { beforeAll, describe, expect, it } from 'vitest';
import type { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createManagement, type Management } from '../../../adapters/management.ts';
import { functionName } from '../../../contract/function-names.ts';
import { functionSettings } from '../../../contract/function-settings.ts';
import { type ManagementAlias, managementAliases } from '../../../contract/management/roles.ts';
import { tableKeys, tableName } from '../../../contract/tables.ts';
import { evaluateRequest, type NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';
import { readAssembly } from '../../../lab/local/from-synth/assembly.ts';
import { readStackPolicies } from '../../../lab/local/from-synth/stack-policies.ts';
import { readRunConfig } from '../../../lab/local/state.ts';
import { figure } from '../../support/figure.ts';
import { policyName, useEnforcedService } from './use-enforced-service.ts';

/*
 * Managers of one trunk group: identities with the policy of each operator, which the config limits.
 * What they may call at all is decided by IAM, and what a call does by the function.
 */

/** Those that IAM gives to an operator. The portal's is tried in test/integration/portal. */
const aliases = managementAliases.filter((alias) => alias !== 'portal');

const manager = policyName('client-operator');
const account = '000000000000';

function principalOf(alias: ManagementAlias): string {
  return `arn:aws:iam::${account}:user/${policyName(alias)}`;
}

const principal = principalOf('client-operator');
const enforced = useEnforcedService({
  management: {
    reach: [{ principals: aliases.map(principalOf), trunkGroups: ['tg-own'] }],
    default: 'everything',
  },
});

const region = 'us-west-2';
const arnOf = (name: string) => `arn:aws:lambda:${region}:${account}:function:${name}`;
const management = arnOf(functionName('local', 'management'));
const own = `${management}:client-operator`;

/** What reads or changes items, functions, keys and identities. */
const actions: Readonly<Record<string, string>> = {
  dynamodb:
    'GetItem BatchGetItem Query Scan ConditionCheckItem PartiQLSelect PutItem UpdateItem ' +
    'DeleteItem BatchWriteItem PartiQLInsert PartiQLUpdate PartiQLDelete CreateBackup ' +
    'ExportTableToPointInTime RestoreTableToPointInTime ImportTable UpdateTable DeleteTable ' +
    'PutResourcePolicy GetRecords DescribeTable',
  lambda:
    'InvokeFunction InvokeAsync InvokeFunctionUrl CreateFunctionUrlConfig UpdateFunctionCode ' +
    'UpdateFunctionConfiguration GetFunction CreateAlias UpdateAlias DeleteAlias ' +
    'PublishVersion AddPermission RemovePermission CreateEventSourceMapping ' +
    'PutFunctionEventInvokeConfig',
  kms: 'Sign CreateGrant PutKeyPolicy ScheduleKeyDeletion',
  sts: 'AssumeRole',
  iam: 'PassRole PutRolePolicy AttachRolePolicy CreateAccessKey',
};

function resources(): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(functionSettings) as (keyof typeof functionSettings)[];
  const dynamodb = tableKeys.flatMap((key) => {
    const table = `arn:aws:dynamodb:${region}:${account}:table/${tableName('local', key)}`;
    return [table, `${table}/index/by-trunk-group`, `${table}/stream/1`];
  });
  return {
    dynamodb,
    lambda: [
      ...names.map((name) => arnOf(functionName('local', name))),
      ...managementAliases.map((alias) => `${management}:${alias}`),
      `${management}:$LATEST`,
      `${management}:1`,
    ],
    kms: [`arn:aws:kms:${region}:${account}:key/00000000-0000-4000-8000-000000000001`],
    sts: names.map((name) => `arn:aws:iam::${account}:role/local-slc-${name}`),
    iam: names.map((name) => `arn:aws:iam::${account}:role/local-slc-${name}`),
  };
}

/** @returns undefined if the action has no such resource: there is no such request. */
async function decide(
  policy: NamedPolicy,
  action: string,
  resource: string,
): Promise<string | undefined> {
  const context = { 'aws:PrincipalArn': principal };
  const request = { principal, action, resource, account, context };
  try {
    return (await evaluateRequest({ identity: [policy] }, request)).result;
  } catch (error) {
    if (String(error).includes('no.resource.types')) return undefined;
    if (String(error).includes('must.use.wildcard')) return decide(policy, action, '*');
    throw error;
  }
}

/** Every combination that the policy of the manager allows. */
async function findAllowed(policy: NamedPolicy) {
  const allowed: string[] = [];
  let tried = 0;
  for (const [service, all] of Object.entries(resources())) {
    for (const resource of all) {
      for (const name of actions[service]?.split(' ') ?? []) {
        const action = `${service}:${name}`;
        const result = await decide(policy, action, resource);
        tried += result === undefined ? 0 : 1;
        if (result === 'Allowed') allowed.push(`${action} ${resource}`);
      }
    }
  }
  return { allowed, tried };
}

let aws: Parameters<typeof createLambdaClient>[0];
let limited: Management;
/** Of another trunk group. IAM decides before anything is looked up. */
const foreignClientId = 'client_0000000000000000000000';

beforeAll(async () => {
  const run = enforced.run();
  const key = run.operatorKeys.get(manager);
  if (key === undefined) throw new Error('there is no policy of client operators');
  aws = { ...run.aws, credentials: key };
  const config = readRunConfig(enforced.run().paths);
  limited = createManagement({ config, aws });
});

describe('what IAM allows a manager of a trunk group', () => {
  it('is one alias of the management function, and nothing else', async () => {
    const stack = readStackPolicies(readAssembly(enforced.fromSynth().directory));
    const policy = stack.managed.get(manager);
    if (policy === undefined) throw new Error('there is no policy of client operators');
    const { allowed, tried } = await findAllowed(policy);
    figure('calls of a manager of one trunk group', { tried, allowed: allowed.length });
    expect(tried).toBeGreaterThan(300);
    expect(allowed).toEqual([`lambda:InvokeFunction ${own}`]);
    expect(JSON.stringify(policy.document)).not.toMatch(/dynamodb|\*/);
  });

  it.each(managementAliases.filter((alias) => alias !== 'client-operator'))(
    'is not the alias %s, also with a signature for it',
    async (alias) => {
      const through = createManagement({ config: readRunConfig(enforced.run().paths), aws, alias });
      await expect(through.findClient(foreignClientId)).rejects.toMatchObject({
        name: 'AwsCallerError',
      });
    },
  );
});

describe('its one alias', () => {
  it('does for its own what an operator may do', async () => {
    const { client } = await limited.createClient({
      name: 'Own',
      serviceTrunkGroup: 'tg-own',
      scopes: ['calls:view'],
    });
    const { value } = await limited.createClientSecret(client.clientId, {});
    expect(value).toMatch(/^cs_/);
    expect((await limited.listClients()).items.map(({ name }) => name)).toEqual(['Own']);
    await limited.deleteClient(client.clientId);
  });
});
