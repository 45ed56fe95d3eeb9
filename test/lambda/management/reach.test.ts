import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { type OperationName, operationOf } from '../../../contract/management/operations.ts';
import type { PortalReach, Reach } from '../../../contract/reach.ts';
import { operations } from '../../../core/management/operations.ts';
import { findReach } from '../../../core/management/requests/answer-request.ts';
import { isObject } from '../../adapters/management/run-operation.ts';
import { prepareCall, validCalls } from '../../adapters/management/valid-calls.ts';
import {
  account,
  askedWorld,
  newClient,
  restrictedWorld,
  role,
  session,
} from './restricted-world.ts';

const reach: readonly Reach[] = [
  { principals: [role('path/limited')], trunkGroups: ['tg-1001'] },
  { principals: ['111122223333'], trunkGroups: ['tg-3003'] },
  { principals: [role('team', '111122223333')], trunkGroups: ['tg-4004'] },
  { principals: [`arn:aws:iam::${account}:user/eve`], trunkGroups: ['tg-5005'] },
  { principals: [`arn:aws:iam::${account}:user/div/bob`], trunkGroups: ['tg-6006'] },
];

const federated = (name: string, of = account) => `arn:aws:sts::${of}:federated-user/${name}`;

describe('the limits of a caller', () => {
  it.each([
    ['a role without an entry', session('other'), undefined],
    ['a role, without its path', session('limited'), ['tg-1001']],
    ['a role of another name', session('limited2'), undefined],
    ['a session that is called like a role', session('other/limited'), undefined],
    ['a user', `arn:aws:iam::${account}:user/eve`, ['tg-5005']],
    ['a user, whose path does not matter', `arn:aws:iam::${account}:user/div/eve`, ['tg-5005']],
    ['a user that an entry names with a path', `arn:aws:iam::${account}:user/bob`, ['tg-6006']],
    ['a federated user that is called like a user', federated('eve'), undefined],
    ['a federated user that is called like a role', federated('limited'), undefined],
    ['a federated user of a limited account', federated('x', '111122223333'), ['tg-3003']],
    ['a role that is called like a user', session('eve'), undefined],
    ['another account', session('any', '111122223333'), ['tg-3003']],
    ['a role of another account before its account', session('team', '111122223333'), ['tg-4004']],
    ['the root of another account', 'arn:aws:iam::111122223333:root', ['tg-3003']],
  ])('%s', (_, arn, groups) => {
    const caller = { alias: 'administrator', arn, account } as const;
    expect(findReach({ reach, default: 'everything' }, caller)?.trunkGroups).toEqual(groups);
    const others = () => findReach({ reach, default: 'nothing' }, caller)?.trunkGroups;
    if (groups === undefined) expect(others).toThrow('management.default is nothing');
    else expect(others()).toEqual(groups);
  });

  it.each([
    session('limited', '444455556666'),
    'arn:aws:iam::444455556666:root',
    `arn:aws:sts::444455556666:federated-user/000000000000`,
    'arn:aws:iam::444455556666:user/role/limited',
    '',
  ])('%s has none, and is refused', (arn) => {
    for (const choice of ['everything', 'nothing', undefined] as const) {
      expect(() =>
        findReach({ reach, default: choice }, { alias: 'administrator', arn, account }),
      ).toThrow(/allowed: a caller of account/);
    }
  });

  it('of an identity without an entry are what the config says, and nothing if it does not', () => {
    const caller = { alias: 'administrator', arn: session('other'), account } as const;
    expect(findReach({ reach: [] }, caller)).toBeUndefined();
    expect(findReach({ reach, default: 'everything' }, caller)).toBeUndefined();
    expect(() => findReach({ reach }, caller)).toThrow('management.default is nothing');
    expect(() => findReach({ reach: [], default: 'nothing' }, caller)).toThrow('is nothing');
    // The role of the deployed portal has no entry: `portalReach` limits it.
    expect(
      findReach({ reach, default: 'nothing' }, { ...caller, alias: 'portal' }),
    ).toBeUndefined();
  });

  it('are checked with the config', () => {
    const parse = (reach: readonly object[], more: object = { default: 'nothing' }) =>
      parseDeploymentConfig({
        regions: { slc: { awsRegion: 'us-west-2' } },
        defaultAudience: 'https://api.example.com',
        scopes: [{ service: 'calls', permission: 'view', description: 'x' }],
        management: { reach, ...more } as never,
      });
    const entry = { principals: ['111122223333'], trunkGroups: ['tg-1'] };
    expect(parse([entry]).management.reach).toEqual([entry]);
    expect(parse([], {}).management.default).toBeUndefined();
    expect(() => parse([entry], {})).toThrow(
      /^.*management\.default: received nothing.*"everything" or "nothing"/s,
    );
    expect(() => parse([entry], { default: 'some' })).toThrow(
      'expected ("everything" | "nothing")',
    );
    expect(() => parse([entry, entry])).toThrow('one entry for a principal');
    const user = (name: string) => ({
      ...entry,
      principals: [`arn:aws:iam::111122223333:user/${name}`],
    });
    expect(() => parse([user('eve'), user('div/eve')])).toThrow('one entry for a principal');
    const ofPortal = { portalReach: { scopes: ['calls:manage'] } };
    expect(() => parse([], ofPortal)).toThrow('of the catalogue');
    expect(() => parse([{ ...entry, principals: ['ada'] }])).toThrow('the id of an AWS account');
    expect(() => parse([{ ...entry, trunkGroups: [] }])).toThrow('one or more');
    expect(() => parse([{ ...entry, trunkGroup: 'x' }])).toThrow('0.trunkGroup: unknown key');
    for (const [key, value] of Object.entries({
      scopes: ['calls:view'],
      maxTokenLifetime: 900,
      maxSecretLifetime: 900,
      maxClients: 0,
      maxApiKeys: 0,
    })) {
      expect(() => parse([{ ...entry, [key]: value }])).toThrow(
        `management.reach.0.${key}: received ${JSON.stringify(value)}; allowed only in the limits of the trunk groups`,
      );
    }
  });
});

describe('a manager of one trunk group', () => {
  it('neither reads nor changes what belongs to another one, also if it names its trunk group', async () => {
    const { world, ask } = await restrictedWorld({}, 'tg-2002');
    const asOther = (operation: string, input: object) =>
      ask(operation, input, 'administrator', { trunk_groups: ['tg-1001', 'tg-2002'] });
    const found = await asOther('findClient', { clientId: world.clientId });
    expect(found.error?.class).toBe('NotFoundError');
    expect((await asOther('listClients', {})).result).toMatchObject({ items: [] });
    const client = { ...newClient, serviceTrunkGroup: 'tg-2002' };
    const created = await asOther('createClient', { client });
    expect(created.error).toMatchObject({ class: 'InputError', field: 'serviceTrunkGroup' });
  });

  it('keeps what a client has above a limit that was lowered, and adds nothing to it', async () => {
    const { world, ask } = await restrictedWorld({ scopes: ['calls:view'], maxTokenLifetime: 60 });
    const { clientId } = world;
    const change = async (changes: object) => {
      const ifVersion = world.clients.get(clientId)?.version;
      return ask('updateClient', { clientId, changes: { ...changes, ifVersion } });
    };
    expect((await change({ name: 'Renamed' })).error).toBeUndefined();
    expect((await change({ addScopes: ['messaging:manage'] })).error?.field).toBe('scopes');
    expect((await change({ addScopes: ['calls:view'] })).error).toBeUndefined();
    expect((await change({ removeScopes: ['messaging:view'] })).error).toBeUndefined();
    expect((await change({ addScopes: ['messaging:view'] })).error?.field).toBe('scopes');
    expect((await change({ tokenLifetime: 3601 })).error?.field).toBe('tokenLifetime');
  });

  it('repeats a creation at the limit, which creates nothing', async () => {
    const { ask } = await restrictedWorld({ maxClients: 2 });
    const create = (idempotencyKey: string) =>
      ask('createClient', { client: { ...newClient, idempotencyKey } });
    expect((await create('key-aaaaa')).error).toBeUndefined();
    expect((await create('key-bbbbb')).error).toMatchObject({ class: 'RefusedError' });
    expect((await create('key-aaaaa')).error).toBeUndefined();
  });
});

describe('a repeated request', () => {
  const changes = Object.keys(operations).filter(
    (name) => operationOf(name as OperationName).changes,
  ) as (keyof typeof operations)[];

  it.each(changes)('of %s does no harm', async (name) => {
    const { world, ask } = await askedWorld();
    await prepareCall(world, name, 'tg-1001');
    const calls = validCalls(world)[name];
    const input = Object.fromEntries(
      calls.names.map((key, index) => {
        const arg = calls.args[index];
        if (!isObject(arg) || !('ifVersion' in arg)) return [key, arg];
        if (/serviceTrunkGroup|issuer/.test(calls.names.join())) return [key, arg];
        const item = calls.names.includes('keyId')
          ? world.apiKeys.get(world.keyId)
          : world.clients.get(world.clientId);
        return [key, { ...arg, ifVersion: item?.version }];
      }),
    );
    const own = name === 'createClient' ? { client: newClient } : input;
    const first = await ask(name, own);
    expect(first.error).toBeUndefined();
    const valueOf = ({ result }: typeof first) => (isObject(result) ? result['value'] : undefined);
    const second = await ask(name, own);
    expect(valueOf(second)).toBeUndefined();
    const allowed = ['VersionConflictError', 'NotFoundError', 'RefusedError', undefined];
    expect(allowed).toContain(second.error?.class);
    const count = [world.clients.size, world.apiKeys.size];
    await ask(name, own);
    expect([world.clients.size, world.apiKeys.size]).toEqual(count);
  });

  it('shows no value of a secret, also after the secret was deleted', async () => {
    const { world, ask } = await restrictedWorld({});
    const { clientId } = world;
    const version = () => world.clients.get(clientId)?.version;
    const secret = { idempotencyKey: 'key-12345', ifVersion: version() };
    const first = await ask('createClientSecret', { clientId, secret });
    expect(first.result).toMatchObject({ value: expect.stringMatching(/^cs_/) });
    const { secretId } = (first.result as { secret: { secretId: string } }).secret;
    await ask('deleteClientSecret', { clientId, secretId, options: { ifVersion: version() } });
    const again = await ask('createClientSecret', { clientId, secret });
    expect(again.error).toMatchObject({ class: 'VersionConflictError' });
  });
});

/** The function as a portal with these limits asks it, for a person. */
async function portalWorld(portalReach: PortalReach | undefined) {
  const asked = await askedWorld({ portalReach });
  const ask = async (name: string, operation: string, input: object, more: object = {}) => {
    const person = { actor: 'https://idp.example.net#ada', role: name };
    const { error, result } = await asked.ask(operation, input, 'portal', { person, ...more });
    return error?.class ?? JSON.stringify(result);
  };
  return { world: asked.world, ask };
}

describe('the reach of a portal', () => {
  it.each([
    [undefined, 'AwsCallerError'],
    [{ administrators: false }, 'AwsCallerError'],
    [{ administrators: true }, '"issuer":'],
  ])('%o decides whether it may name an administrator', async (reach, expected) => {
    const { ask } = await portalWorld(reach);
    expect(await ask('administrator', 'listProviders', {})).toContain(expected);
    const groups = { trunk_groups: ['tg-1001'] };
    expect(await ask('viewer', 'listProviders', {}, groups)).toContain('"issuer":');
  });

  it('bounds what it may name for every person, also for an administrator', async () => {
    const { world, ask } = await portalWorld({ administrators: true, trunkGroups: ['tg-2002'] });
    for (const [role, more] of [
      ['administrator', {}],
      ['manager', {}],
      ['manager', { trunk_groups: ['tg-1001'] }],
    ] as const) {
      expect(await ask(role, 'findClient', { clientId: world.clientId }, more)).toBe(
        'NotFoundError',
      );
      const client = { ...newClient, serviceTrunkGroup: 'tg-1001' };
      expect(await ask(role, 'createClient', { client }, more)).toBe('InputError');
    }
    const client = { ...newClient, serviceTrunkGroup: 'tg-2002' };
    expect(await ask('manager', 'createClient', { client })).toContain('tg-2002');
  });
});
