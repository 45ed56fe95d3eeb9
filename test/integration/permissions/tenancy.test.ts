import { DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { bindManagement, createManagement, type Management } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-context.ts';
import { createCallerIdentity } from '../../../adapters/sts/caller-identity.ts';
import { environments } from '../../../contract/environment.ts';
import { functionName } from '../../../contract/function-names.ts';
import {
  managementOperations,
  type OperationName,
  operationOf,
} from '../../../contract/management/operations.ts';
import { type ManagementAlias, managementAliases } from '../../../contract/management/roles.ts';
import { tableKeys, tableName, tables } from '../../../contract/tables.ts';
import { evaluateRequest, type NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';
import { readAssembly } from '../../../lab/local/from-synth/assembly.ts';
import { readStackPolicies } from '../../../lab/local/from-synth/stack-policies.ts';
import { readRunConfig } from '../../../lab/local/state.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { foreignOutcomes, outcomeOf } from '../../adapters/management/foreign-outcomes.ts';
import { validCalls } from '../../adapters/management/valid-calls.ts';
import type { World } from '../../adapters/management/world.ts';
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
  const names = Object.keys(environments) as (keyof typeof environments)[];
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
let foreign: Foreign;
let platform: LoopbackProvider;
let owned: LoopbackProvider;

/** What another trunk group has, in the form that the valid calls are made of. */
type Foreign = Awaited<ReturnType<typeof createForeign>>;

/** An operator whom the config limits, with the alias of its policy. It may not call everything. */
function limitedBy(alias: ManagementAlias): Management {
  const run = enforced.run();
  const credentials = run.operatorKeys.get(policyName(alias));
  if (credentials === undefined) throw new Error(`there is no policy of ${alias}`);
  return createManagement({
    config: readRunConfig(enforced.run().paths),
    aws: { ...run.aws, credentials },
    alias,
  });
}

function openStaff(): Management {
  const { aws: all } = enforced.run();
  return createManagement({ config: readRunConfig(enforced.run().paths), aws: all });
}

async function createForeign() {
  const staff = openStaff();
  const { client } = await staff.createClient({
    name: 'Foreign',
    serviceTrunkGroup: 'tg-foreign',
    scopes: ['calls:view', 'messaging:view'],
  });
  const { clientId } = client;
  const { secret } = await staff.createClientSecret(clientId, {});
  const { version } = await staff.findClient(clientId);
  const { key } = await staff.createApiKey({
    name: 'Foreign key',
    serviceTrunkGroup: 'tg-foreign',
    subnets: [{ name: 'office', address: '203.0.113.0', netmask: '255.255.255.0' }],
  });
  // The function's process does not trust these providers.
  const { aws: all } = enforced.run();
  const onTables = bindManagement(
    createManagementContext({
      config: readRunConfig(enforced.run().paths),
      aws: all,
      actor: createCallerIdentity(all),
      allowLoopbackProviders: true,
    }),
  );
  const { provider } = await onTables.registerProvider(platform.discoveryUrl);
  await onTables.registerProvider(owned.discoveryUrl, { trunkGroups: ['tg-foreign'] });
  return {
    clientId,
    version,
    secretId: secret.secretId,
    keyId: key.keyId,
    subnetId: key.subnets[0]?.subnetId ?? '',
    issuer: platform.issuer,
    discoveryUrl: platform.discoveryUrl,
    ownIssuer: owned.issuer,
    now: Math.floor(Date.now() / 1000),
    clients: new Map([[clientId, { version }]]),
    apiKeys: new Map([[key.keyId, key]]),
    providers: new Map([[platform.issuer, provider]]),
    limits: new Map(),
    grants: new Map(),
  };
}

/** Everything that a call could change. */
async function readForeign(): Promise<string> {
  const staff = openStaff();
  const { clientId, keyId, ownIssuer, issuer } = foreign;
  return JSON.stringify([
    await staff.findClient(clientId),
    await staff.findApiKey(keyId),
    await staff.findProvider(issuer),
    await staff.findProvider(ownIssuer),
    await staff.findTrunkGroupLimits('tg-foreign'),
    await staff.listTrunkGroupLimits(),
    (await staff.listClients({ trunkGroup: 'tg-foreign' })).items.length,
    (await staff.listApiKeys({ trunkGroup: 'tg-foreign' })).items.length,
    (await staff.listProviders()).map(({ issuer: one }) => one),
  ]);
}

beforeAll(async () => {
  platform = await startLoopbackProvider();
  owned = await startLoopbackProvider();
  const run = enforced.run();
  const key = run.operatorKeys.get(manager);
  if (key === undefined) throw new Error('there is no policy of client operators');
  aws = { ...run.aws, credentials: key };
  const config = readRunConfig(enforced.run().paths);
  limited = createManagement({ config, aws });
  foreign = await createForeign();
});

afterAll(async () => {
  await platform.close();
  await owned.close();
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
      await expect(through.findClient(foreign.clientId)).rejects.toMatchObject({
        name: 'AwsCallerError',
      });
    },
  );

  it.each([management, `${management}:$LATEST`, arnOf(functionName('local', 'token'))])(
    'is not %s',
    async (arn) => {
      const invoke = createInvokeFunction(createLambdaClient(aws));
      await expect(invoke(arn, {})).rejects.toThrow(/AccessDenied|not authorized|may not/i);
    },
  );

  it('is no table', async () => {
    const { endpointDynamoDb: endpoint = '', credentials } = aws ?? {};
    const dynamodb = new DynamoDBClient({
      region,
      endpoint,
      ...(credentials !== undefined && { credentials }),
    });
    for (const table of tableKeys) {
      const TableName = tableName('local', table);
      const scan = dynamodb.send(new ScanCommand({ TableName }));
      await expect(scan).rejects.toMatchObject({ name: 'AccessDeniedException' });
    }
    const Key = { [tables.clients.partitionKey]: { S: foreign.clientId } };
    const TableName = tableName('local', 'clients');
    const get = dynamodb.send(new GetItemCommand({ TableName, Key }));
    await expect(get).rejects.toMatchObject({ name: 'AccessDeniedException' });
    dynamodb.destroy();
  });
});

describe('what its one alias does for another trunk group', () => {
  /** The valid calls of the trunk group `tg-1001`, of another one. */
  function argumentsOf(name: OperationName): readonly unknown[] {
    const { args } = validCalls(foreign as unknown as World)[name];
    return JSON.parse(JSON.stringify(args).replaceAll('tg-1001', 'tg-foreign')) as unknown[];
  }

  it('has an outcome for every operation', () => {
    expect(Object.keys(foreignOutcomes).toSorted()).toEqual(
      Object.keys(managementOperations).toSorted(),
    );
  });

  it.each(Object.keys(managementOperations) as OperationName[])(
    '%s, by each alias that may call it, and by none of the others',
    async (name) => {
      const before = await readForeign();
      for (const alias of aliases) {
        const attempt = outcomeOf(limitedBy(alias), name, argumentsOf(name));
        if (operationOf(name).aliases.includes(alias)) {
          // Behind the function, a caller with a limit lists no signing keys.
          const expected = name === 'listSigningKeys' ? 'refused' : foreignOutcomes[name];
          expect(await attempt, alias).toBe(expected);
        } else {
          await expect(attempt, alias).rejects.toMatchObject({ name: 'AwsCallerError' });
        }
      }
      expect(await readForeign()).toBe(before);
    },
  );

  it.each<[string, (management: Management) => Promise<unknown>]>([
    ['findProvider', (management) => management.findProvider(foreign.ownIssuer)],
    ['inspectProviderKeys', (management) => management.inspectProviderKeys(foreign.ownIssuer)],
    [
      'deleteProvider',
      (management) => management.deleteProvider(foreign.ownIssuer, { ifRegistration: 'idp_1' }),
    ],
    [
      'setProviderTrunkGroups',
      (management) =>
        management.setProviderTrunkGroups(foreign.ownIssuer, {
          trunkGroups: ['tg-own'],
          ifVersion: 1,
        }),
    ],
  ])('%s of its own provider: it is not found', async (_, call) => {
    for (const alias of ['provider-operator', 'administrator'] as const) {
      await expect(call(limitedBy(alias))).rejects.toMatchObject({ name: 'NotFoundError' });
    }
    const listed = await limitedBy('provider-operator').listProviders();
    expect(listed.map(({ issuer }) => issuer)).toEqual([foreign.issuer]);
  });

  it('lists nothing, creates nothing, and leaves its client as it was', async () => {
    expect(await limited.listClients({ trunkGroup: 'tg-foreign' })).toMatchObject({ items: [] });
    const client = { name: 'A', serviceTrunkGroup: 'tg-foreign', scopes: ['calls:view'] };
    await expect(limited.createClient(client)).rejects.toMatchObject({ name: 'InputError' });
    expect(await openStaff().findClient(foreign.clientId)).toMatchObject({
      name: 'Foreign',
      enabled: true,
      version: foreign.version,
      secrets: [{ secretId: foreign.secretId }],
    });
  });

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
