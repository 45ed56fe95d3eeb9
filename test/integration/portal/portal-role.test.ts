import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionSettings } from '../../../contract/function-settings.ts';
import { type OperationName, operationOf } from '../../../contract/management/operations.ts';
import type { ManagementAnswer } from '../../../contract/management/request.ts';
import {
  type ManagementAlias,
  managementAliases,
  type PersonRole,
  personRoles,
} from '../../../contract/management/roles.ts';
import type { PortalReach } from '../../../contract/reach.ts';
import { tableKeys, tableName } from '../../../contract/tables.ts';
import type { NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';
import { readPage } from '../../../lab/support/markdown.ts';
import { validCalls } from '../../adapters/management/valid-calls.ts';
import {
  createWorld,
  grantIssuer,
  registerOwn,
  type World,
} from '../../adapters/management/world.ts';
import { figure } from '../../support/figure.ts';
import {
  account,
  awsRegion,
  clientSecretArn,
  deployment,
  lambdaArn,
  managementArn,
  PortalRole,
} from './portal-role-world.ts';

/*
 * Direct calls with the role of the deployed portal function: what someone can do who took its
 * credentials, and names any person.
 */

const portal = new PortalRole();
beforeAll(() => portal.start());
afterAll(() => portal.close());

/** Customers: one has the first group, another one the second, and both have the third. */
const [own, foreign, shared] = ['tg-1001', 'tg-2002', 'tg-3003'] as const;
const trunkGroups = [own, shared];

const person = (role: PersonRole) => ({ actor: 'https://login.example.com#ada', role });

/** The expected outcome of a call, for each letter of the table. */
const outcomes: Readonly<Record<string, RegExp>> = {
  d: /^done$/,
  /** The same answer as for something that does not exist. */
  e: /^nothing$/,
  n: /^NotFoundError: there is no (?:client|API key|service trunk group) "\S+"$/,
  /** The person may create nothing in this trunk group. */
  i: /^InputError: (?:service_?trunk_?group|trunk_groups): received "tg-2002"; allowed: tg-1001, tg-3003$/i,
  /** The staff has not allowed a provider of the customer's own, or this one is not the customer's. */
  r: /^RefusedError: (?:the service trunk group tg-1001(?:, tg-3003)? may register no identity provider|the service trunk group tg-3003 may register no identity provider|A provider of the platform concerns every service trunk group)/,
  m: /^AwsCallerError: \w+: received a person with the role viewer; allowed: manager or more$/,
  a: /^AwsCallerError: \w+: received a person with the role (?:viewer|manager); allowed: administrator or more$/,
};

/**
 * The outcome for a viewer, a manager and an administrator, four times: in an own trunk group, in a
 * foreign one, in a shared one, and in an own one that has less than it may have. `c`: its text is
 * in the table of ceilings.
 */
const table = Object.entries(validCalls(await createWorld())).map(
  ([name, { portal }]) => [name as OperationName, portal] as const,
);

/** What the staff allows the trunk group of the last column. */
const ceiling = {
  scopes: ['messaging:view'],
  maxClients: 1,
  maxApiKeys: 1,
  maxTokenLifetime: 600,
  maxSecretLifetime: 30,
  requireSubnet: true,
  providers: [],
  ownProviders: 1,
};

/** What those who are bound by it are told. */
const ceilings: Readonly<Partial<Record<OperationName, string>>> = {
  createClient:
    'InputError: scope: received "calls:view"; allowed: messaging:view, within your limits\ntoken_lifetime: received 3600; allowed: at most 600 seconds',
  updateClient:
    'InputError: scope: received "messaging:manage"; allowed: messaging:view, within your limits\nscope: received "calls:view"; allowed: messaging:view, within your limits',
  createClientSecret:
    'InputError: expires_at: received "2027-01-15T08:01:00Z"; allowed: an end at most 30s from now',
  rotateClientSecret:
    'InputError: expires_at: received "2027-01-15T08:01:00Z"; allowed: an end at most 30s from now',
  createApiKey: 'RefusedError: the service trunk group has 1 API keys; allowed: at most 1',
  removeSubnet:
    'InputError: subnets: received nothing; allowed: one subnet or more, each /16 or longer (IPv6: /32 or longer)',
};

const columns = [
  ['an own trunk group', own, {}],
  ['a foreign trunk group', foreign, {}],
  ['a shared trunk group', shared, {}],
  ['an own trunk group with a ceiling', own, ceiling],
] as const;

interface Place {
  readonly world: World;
  readonly trunkGroup: string;
  /** Of the API key. */
  readonly value: string;
}

async function createPlace(trunkGroup: string, limits: object): Promise<Place> {
  const world = await createWorld(trunkGroup);
  world.limits.set(trunkGroup, { serviceTrunkGroup: trunkGroup, version: 1, ...limits });
  for (const issuer of [world.issuer, world.ownIssuer]) {
    grantIssuer(world, issuer, [trunkGroup, shared]);
  }
  world.apiKeys.clear();
  const { key, value = '' } = await world.management.createApiKey({
    name: 'Ada',
    serviceTrunkGroup: trunkGroup,
    subnets: [{ name: 'office', address: '203.0.113.0', netmask: '255.255.255.0' }],
  });
  const subnetId = key.subnets[0]?.subnetId ?? '';
  return { world: Object.assign(world, { keyId: key.keyId, subnetId }), trunkGroup, value };
}

/** The input of a call of each operation that would change or show something of a place. */
function inputOf({ world, trunkGroup, value }: Place, name: OperationName): object {
  const { clientId } = world;
  const inputs: Readonly<Partial<Record<OperationName, object>>> = {
    createClient: {
      client: {
        name: 'Dialer',
        serviceTrunkGroup: trunkGroup,
        scopes: ['calls:view'],
        idempotencyKey: 'key-12345',
      },
    },
    listClients: { filter: { trunkGroup } },
    listApiKeys: { filter: { trunkGroup } },
    listAudit: { filter: {} },
    listHistory: { id: clientId },
    explainRequest: { question: { credential: value, sourceAddress: '203.0.113.9' } },
    setTrunkGroupEnabled: { serviceTrunkGroup: trunkGroup, enabled: false },
    setTrunkGroupLimits: { serviceTrunkGroup: trunkGroup, limits: { maxClients: 9, ifVersion: 1 } },
  };
  const { names, args } = validCalls(world)[name];
  const given = Object.fromEntries(names.map((key, index) => [key, args[index]]));
  const text = JSON.stringify(inputs[name] ?? given);
  return JSON.parse(text.replaceAll(own, trunkGroup)) as object;
}

function describeOutcome({ outcome }: Pick<ManagementAnswer, 'outcome'>, changes = false): string {
  if ('error' in outcome) return `${outcome.error.class}: ${outcome.error.text}`;
  const { items, reason } = (outcome.result ?? {}) as Readonly<Record<string, unknown>>;
  if (changes) return 'done';
  const isNothing =
    (Array.isArray(items) && items.length === 0) ||
    reason === 'unknown_client' ||
    reason === 'api_key_unknown';
  return isNothing ? 'nothing' : 'done';
}

/** Everything that calls could change. The audit also has attempts that a limit refused. */
function contentsOf({ clients, apiKeys, providers, limits }: World): string {
  return JSON.stringify([...clients, ...apiKeys, ...providers, ...limits]);
}

/** @param more of the request. */
async function ask(
  { world }: Place,
  request: object | string,
  reach: PortalReach = { administrators: true },
  alias: ManagementAlias = 'portal',
): Promise<ManagementAnswer> {
  portal.context = world.context;
  portal.reach = reach;
  return portal.ask(alias, request);
}

const tried: Record<string, number> = {};

async function tryCell(
  name: OperationName,
  role: PersonRole,
  [, trunkGroup, limits]: (typeof columns)[number],
): Promise<string> {
  const place = await createPlace(trunkGroup, limits);
  const { world } = place;
  if (name === 'registerProvider') world.providers.clear();
  if (name === 'setProviderTrunkGroups') await registerOwn(world, [trunkGroup]);
  const request = {
    operation: name,
    input: inputOf(place, name),
    person: person(role),
    ...(role !== 'administrator' && { trunk_groups: trunkGroups }),
  };
  const before = contentsOf(world);
  const records = world.audit.length;
  const answer = await ask(place, request);
  const { changes } = operationOf(name);
  const outcome = describeOutcome(answer, changes);
  const isChange = outcome === 'done' && changes;
  if (!isChange) expect(contentsOf(world), `${name} of ${role}`).toBe(before);
  if (!isChange && limits !== ceiling) expect(world.audit).toHaveLength(records);
  if (trunkGroup === foreign && role !== 'administrator') {
    for (const items of [world.clients, world.apiKeys, world.limits]) items.clear();
    world.audit.length = 0;
    expect(await ask(place, request), `${name} of ${role}, of nothing`).toEqual(answer);
  }
  return outcome;
}

describe('a person whom the role of the portal names', () => {
  it.each(table)('%s: %s', async (name, row) => {
    for (const [index, letters] of row.split(' ').entries()) {
      const column = columns[index];
      if (column === undefined) throw new Error('a row has four columns');
      for (const [at, role] of personRoles.entries()) {
        const letter = letters[at] ?? '';
        const outcome = await tryCell(name, role, column);
        const kind = outcome.split(':')[0] ?? '';
        tried[kind] = (tried[kind] ?? 0) + 1;
        const where = `${role} in ${column[0]}`;
        if (letter === 'c') expect(outcome, where).toBe(ceilings[name]);
        else expect(outcome, where).toMatch(outcomes[letter] ?? 'no such letter');
      }
    }
  });

  afterAll(() => figure('direct calls with the role of the portal', tried));
});

/** Requests that no portal sends, with an answer of the same request as it should be. */
const find = (place: Place) => ({
  operation: 'findClient',
  input: { clientId: place.world.clientId },
  person: person('manager'),
  trunk_groups: [own],
});

const notARequest = /^InputError: the request: allowed: an operation and its input$/;

describe('a request with', () => {
  it.each<[string, (place: Place) => object | string, RegExp, PortalReach?]>([
    [
      'the ARN of an operator as the person',
      (place) => ({
        ...find(place),
        person: { ...person('manager'), actor: 'arn:aws:iam::000000000000:user/alice' },
      }),
      notARequest,
    ],
    [
      'a role that does not exist',
      (place) => ({ ...find(place), person: { ...person('manager'), role: 'staff' } }),
      notARequest,
    ],
    [
      'a role of the prototype of objects',
      (place) => ({ ...find(place), person: { ...person('manager'), role: 'constructor' } }),
      notARequest,
    ],
    [
      'an administrator, whom the config does not allow',
      (place) => ({ ...find(place), person: person('administrator') }),
      /^AwsCallerError: person: received the role administrator; allowed: viewer, manager, because management\.portalReach\.administrators of the deployment config is not true$/,
      { administrators: false },
    ],
    [
      'no trunk group in its list',
      (place) => ({ ...find(place), trunk_groups: [] }),
      /^NotFoundError: there is no client/,
    ],
    [
      'more than 100 trunk groups',
      (place) => ({
        ...find(place),
        trunk_groups: Array.from({ length: 101 }, (_, index) => `tg-${index}`),
      }),
      /^InputError: trunk_groups: received "101 groups"; allowed: at most 100$/,
    ],
    [
      'the trunk group in capital letters',
      (place) => ({ ...find(place), trunk_groups: ['TG-1001'] }),
      /^NotFoundError: there is no client/,
    ],
    [
      'the beginning of a trunk group',
      (place) => ({ ...find(place), trunk_groups: ['tg-100', 'tg-10011'] }),
      /^NotFoundError: there is no client/,
    ],
    [
      'a trunk group that only looks like one',
      (place) => ({ ...find(place), trunk_groups: ['tg‑1001'] }),
      /^InputError: trunk_groups: received "tg‑1001"; allowed: 1 to 64 of A-Z/,
    ],
    [
      'a trunk group outside of the reach of the portal',
      find,
      /^NotFoundError: there is no client/,
      { administrators: false, trunkGroups: [shared] },
    ],
  ])('%s is refused, and one as it should be is not', async (_, request, expected, reach) => {
    const place = await createPlace(own, {});
    const before = contentsOf(place.world);
    expect(describeOutcome(await ask(place, request(place), reach))).toMatch(expected);
    expect(contentsOf(place.world)).toBe(before);
    expect(describeOutcome(await ask(place, find(place)))).toBe('done');
  });
});

describe('a provider of a customer’s own', () => {
  it('gets no trunk group that may have none, and none of another customer', async () => {
    const place = await createPlace(own, { ownProviders: 2 });
    await registerOwn(place.world, [own]);
    const give = async (group: string) =>
      describeOutcome(
        await ask(place, {
          operation: 'setProviderTrunkGroups',
          input: {
            issuer: place.world.ownIssuer,
            owners: { trunkGroups: [own, group], ifVersion: 1 },
          },
          person: person('manager'),
          trunk_groups: trunkGroups,
        }),
        true,
      );
    expect(await give(foreign)).toMatch(/^InputError: trunk_groups: received "tg-2002"; allowed/);
    expect(await give(shared)).toMatch(/tg-3003 may register no identity provider/);
    place.world.limits.set(shared, { serviceTrunkGroup: shared, ownProviders: 1, version: 1 });
    expect(await give(shared)).toBe('done');
  });
});

/** Actions that read or change something, or give the right to it. */
const actions: Readonly<Record<string, string>> = {
  lambda:
    'InvokeFunction InvokeAsync InvokeFunctionUrl CreateFunctionUrlConfig UpdateFunctionCode ' +
    'UpdateFunctionConfiguration GetFunction CreateAlias UpdateAlias PublishVersion AddPermission',
  secretsmanager:
    'GetSecretValue PutSecretValue UpdateSecret DeleteSecret PutResourcePolicy DescribeSecret ' +
    'RotateSecret ReplicateSecretToRegions UpdateSecretVersionStage',
  dynamodb:
    'GetItem BatchGetItem Query Scan PutItem UpdateItem DeleteItem BatchWriteItem PartiQLSelect ' +
    'PartiQLUpdate ExportTableToPointInTime CreateBackup UpdateTable DeleteTable PutResourcePolicy',
  kms: 'Sign GetPublicKey Decrypt Encrypt GenerateDataKey CreateGrant PutKeyPolicy ScheduleKeyDeletion',
  sts: 'AssumeRole',
  iam: 'PassRole PutRolePolicy DeleteRolePolicy AttachRolePolicy UpdateAssumeRolePolicy',
  sns: 'Publish Subscribe',
  events: 'PutEvents PutRule PutTargets',
  logs: 'CreateLogStream PutLogEvents GetLogEvents DeleteLogStream DeleteLogGroup FilterLogEvents',
};

const arnOf = (service: string, rest: string) =>
  `arn:aws:${service}:${awsRegion}:${account}:${rest}`;
const streamOf = (name: string) =>
  arnOf('logs', `log-group:/aws/lambda/${deployment}-${name}:log-stream:1`);

function resources(): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(functionSettings) as (keyof typeof functionSettings)[];
  const roles = names.map((name) => `arn:aws:iam::${account}:role/${deployment}-slc-${name}`);
  return {
    lambda: [
      ...names.flatMap((name) => [lambdaArn(name), `${lambdaArn(name)}:live`]),
      ...managementAliases.map((alias) => `${managementArn}:${alias}`),
      ...['$LATEST', '1', 'portal2'].map((qualifier) => `${managementArn}:${qualifier}`),
    ],
    secretsmanager: [
      portal.sessionKeyArn,
      clientSecretArn,
      arnOf('secretsmanager', 'secret:other-AbCdEf'),
    ],
    dynamodb: tableKeys.map((key) => arnOf('dynamodb', `table/${tableName(deployment, key)}`)),
    kms: [arnOf('kms', 'key/00000000-0000-4000-8000-000000000001')],
    sts: roles,
    iam: roles,
    sns: [arnOf('sns', `${deployment}-alarms`)],
    logs: ['portal', 'management', 'token'].map(streamOf),
  };
}

/** @returns undefined if the action has no such resource: there is no such request. */
async function mayDo(action: string, resource: string): Promise<boolean | undefined> {
  try {
    return await portal.allows(action, resource);
  } catch (error) {
    if (String(error).includes('no.resource.types')) return undefined;
    if (String(error).includes('must.use.wildcard')) return mayDo(action, '*');
    throw error;
  }
}

async function findAllowed(): Promise<{
  readonly tried: number;
  readonly allowed: readonly string[];
}> {
  const allowed: string[] = [];
  let count = 0;
  for (const [service, arns] of Object.entries(resources())) {
    for (const name of actions[service]?.split(' ') ?? []) {
      for (const resource of arns) {
        const action = `${service}:${name}`;
        const may = await mayDo(action, resource);
        count += may === undefined ? 0 : 1;
        if (may === true) allowed.push(`${action} ${resource}`);
      }
    }
  }
  return { tried: count, allowed };
}

const denied = { name: 'AccessDeniedException' };

describe('what IAM allows the role of the portal', () => {
  it('is to ask as the portal, to read its two secrets, and to write its log', async () => {
    const { allowed, tried: count } = await findAllowed();
    figure('calls of the role of the portal', { tried: count, allowed: allowed.length });
    expect(count).toBeGreaterThan(400);
    expect(allowed).toEqual([
      `lambda:InvokeFunction ${managementArn}:portal`,
      `secretsmanager:GetSecretValue ${portal.sessionKeyArn}`,
      `secretsmanager:GetSecretValue ${clientSecretArn}`,
      `logs:CreateLogStream ${streamOf('portal')}`,
      `logs:PutLogEvents ${streamOf('portal')}`,
    ]);
  });
});

/** The commands of a section of the page about the portal. */
function commandsOf(title: string): readonly string[] {
  const [, section = ''] = readPage('docs/portal.md').split(`### ${title}\n`);
  const [text = ''] = section.split('\n### ');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, command = '']) => command);
}

describe('the command that stops the portal', () => {
  it('ends every call of its role at once, and another one allows them again', async () => {
    const [stop = '', start = ''] = commandsOf('Stop it');
    const named = /--role-name (\S+) --policy-name (\S+)/;
    const [, role, policy = ''] = named.exec(stop) ?? [];
    expect(stop).toMatch(/^aws iam put-role-policy /);
    expect(role).toBe(portal.role.name);
    expect(named.exec(start)?.slice(1)).toEqual([role, policy]);
    expect(start).toMatch(/^aws iam delete-role-policy /);
    const document = JSON.parse(/--policy-document '([^']+)'/.exec(stop)?.[1] ?? '') as object;
    const place = await createPlace(own, {});
    expect(describeOutcome(await ask(place, find(place)))).toBe('done');
    portal.added.push({ name: policy, document: document as NamedPolicy['document'] });
    await expect(ask(place, find(place))).rejects.toMatchObject(denied);
    expect((await findAllowed()).allowed).toEqual([]);
    portal.added.length = 0;
    expect(describeOutcome(await ask(place, find(place)))).toBe('done');
  });
});
