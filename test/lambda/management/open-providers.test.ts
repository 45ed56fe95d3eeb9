import { describe, expect, it, vi } from 'vitest';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { grantSubject } from '../../adapters/management/world.ts';
import { noText } from '../../support/hostile-proofs.ts';
import { askedWorld, newClient } from './restricted-world.ts';

type AskedWorld = Awaited<ReturnType<typeof askedWorld>>;

const unknown = 'https://nobody.example.net';
const groups = ['tg-1001', 'tg-1002'];

/** Those that the limits open to every trunk group. */
const others = ['https://one.example.net', 'https://two.example.net'];

/** @param open the trunk groups to which the limits open the provider of the platform. */
async function createClosedWorld(open: readonly string[]) {
  const asked = await askedWorld();
  grantSubject(asked.world, asked.world.issuer, { erp: groups });
  for (const serviceTrunkGroup of groups) {
    const providers = open.includes(serviceTrunkGroup) ? [...others, asked.world.issuer] : others;
    asked.world.limits.set(serviceTrunkGroup, {
      serviceTrunkGroup,
      version: 1,
      providers,
      ownProviders: 1,
    });
  }
  return asked;
}

function askAs({ ask }: AskedWorld, trunkGroups: readonly string[] = ['tg-1001']) {
  const person = { actor: 'https://idp.example.net#ada', role: 'manager' };
  return (operation: string, input: object) =>
    ask(operation, input, 'portal', { person, trunk_groups: trunkGroups });
}

const under = (provider: string) => ({
  client: { ...newClient, provider, externalClientId: 'erp' },
});

/** Every operation that names a provider, of which a person may learn whether it is registered. */
const questions: readonly (readonly [operation: string, input: (issuer: string) => object])[] = [
  ['findProvider', (issuer) => ({ issuer })],
  // What a person typed by mistake is completed only if the provider is open.
  ['findProvider', (issuer) => ({ issuer: `${issuer}/` })],
  ['inspectProviderKeys', (issuer) => ({ issuer })],
  ['deleteProvider', (issuer) => ({ issuer, options: { ifRegistration: 'reg_1' } })],
  [
    'setProviderTrunkGroups',
    (issuer) => ({ issuer, owners: { trunkGroups: ['tg-1001'], ifVersion: 1 } }),
  ],
  ['createClient', under],
  [
    'checkTrunkGroupLimits',
    (issuer) => ({ serviceTrunkGroup: 'tg-1001', limits: { providers: [issuer] } }),
  ],
  ['listClients', (provider) => ({ filter: { provider } })],
];

describe('a provider of the platform that is open to none of a person’s trunk groups', () => {
  it.each(questions)('%s answers as for one that is not registered', async (operation, input) => {
    const asked = await createClosedWorld([]);
    const { issuer } = asked.world;
    const answer = await askAs(asked)(operation, input(issuer));
    const other = await askAs(asked)(operation, input(unknown));
    expect(JSON.stringify(answer).replaceAll(issuer, unknown)).toBe(JSON.stringify(other));
  });

  it('is in no list, no description and no audit', async () => {
    const asked = await createClosedWorld([]);
    const { issuer } = asked.world;
    const ada = askAs(asked, groups);
    for (const [operation, input] of [
      ['listProviders', {}],
      ['listProvidersWithLimits', { serviceTrunkGroups: groups }],
      ['describeDeployment', {}],
      ['listAudit', {}],
      ['listTrunkGroupLimits', {}],
      ['findTrunkGroupLimits', { serviceTrunkGroup: 'tg-1001' }],
    ] as const) {
      const { result, error } = await ada(operation, input);
      expect(error).toBeUndefined();
      expect(JSON.stringify(result)).not.toContain(issuer);
    }
  });

  it('keeps the clients that it has, which are found and changed as before', async () => {
    const asked = await createClosedWorld(groups);
    const { world } = asked;
    const ada = askAs(asked);
    const { result } = await ada('createClient', {
      client: { ...under(world.issuer).client, allowUserTokens: true },
    });
    const { client } = result as { client: { clientId: string; version: number } };
    world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 2, providers: [] });
    const { clientId, version } = client;
    const list = await ada('listClients', {
      filter: { provider: world.issuer, allowsUserTokens: true },
    });
    expect(list.result).toMatchObject({ items: [{ clientId }] });
    const requiredClaims = [{ claim: 'team', values: ['erp'] }];
    const changed = await ada('updateClient', {
      clientId,
      changes: { requiredClaims, ifVersion: version },
    });
    expect(changed.error).toBeUndefined();
  });

  it('explains the requests of the clients that it has, and of no others', async () => {
    const asked = await createClosedWorld(groups);
    const { world } = asked;
    const key = createTestKey('ES256');
    world.documents.set(`${world.issuer}/keys`, { keys: [key.jwk] });
    await askAs(asked)('createClient', under(world.issuer));
    world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 2, providers: [] });
    const explain = async (trunkGroup: string, iss: string, more: object | string = {}) => {
      const aud = 'https://api.example.com';
      const claims = { iss, aud, client_id: 'erp', iat: world.now, exp: world.now + 60 };
      const question = {
        credential: signToken(key, Object.assign(claims, typeof more === 'string' ? {} : more)),
      };
      const { result } = await askAs(asked, [trunkGroup])('explainRequest', { question });
      return result as object;
    };
    expect(await explain('tg-1001', world.issuer)).toMatchObject({ accepted: true });
    await asked.ask('setClientEnabled', {
      clientId: [...world.clients.keys()].at(-1),
      enabled: false,
    });
    expect(await explain('tg-1001', world.issuer)).toMatchObject({ reason: 'client_disabled' });
    const { limits } = world;
    limits.set('tg-1002', { serviceTrunkGroup: 'tg-1002', version: 2, providers: [] });
    for (const more of [{}, { client_id: 'other' }, { exp: 1 }, 'no keys']) {
      if (more === 'no keys') world.documents.delete(`${world.issuer}/keys`);
      const closed = JSON.stringify(await explain('tg-1002', world.issuer, more));
      expect(closed.replaceAll(world.issuer, unknown)).toBe(
        JSON.stringify(await explain('tg-1002', unknown, more)),
      );
    }
    for (const iss of [noText, { stops: { person: { by: noText } } }]) {
      const explained = await explain('tg-1002', unknown, { iss });
      expect(explained).toMatchObject({ finding: { name: 'iss', received: iss } });
    }
  });
});

describe('a fetch of keys', () => {
  const question = ({ world: { issuer: iss, now } }: AskedWorld, more: object = {}) => {
    const aud = 'https://api.example.com';
    const claims = { iss, aud, client_id: 'erp', iat: now, exp: now + 60 };
    return { question: { credential: signToken(createTestKey('ES256'), { ...claims, ...more }) } };
  };

  it('is never made for someone to whom the provider is closed', async () => {
    const asked = await createClosedWorld(['tg-1001']);
    const { issuer, documents } = asked.world;
    await askAs(asked)('createClient', under(issuer));
    const fetched = vi.spyOn(documents, 'has');
    for (const more of [{}, { client_id: 'other' }, { azp: 'erp', sub: 'erp' }]) {
      const { result } = await askAs(asked, ['tg-1002'])('explainRequest', question(asked, more));
      expect(result).toMatchObject({ reason: 'issuer_unknown' });
    }
    expect(fetched.mock.calls).toEqual([]);
    // The caller's own client says that the provider is registered.
    asked.world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 2, providers: [] });
    await askAs(asked)('explainRequest', question(asked));
    expect(fetched.mock.calls).toEqual([[`${issuer}/keys`]]);
  });

  it('is one for all who ask, and none while it fails', async () => {
    const asked = await createClosedWorld(groups);
    const { issuer, documents } = asked.world;
    documents.delete(`${issuer}/keys`);
    const fetched = vi.spyOn(documents, 'has');
    const viewers = Array.from({ length: 20 }, () =>
      askAs(asked)('explainRequest', question(asked)),
    );
    await Promise.all([...viewers, askAs(asked)('inspectProviderKeys', { issuer })]);
    const { error } = await askAs(asked)('explainRequest', question(asked));
    expect(error).toMatchObject({ class: 'UnavailableError' });
    const { result } = await askAs(asked)('inspectProviderKeys', { issuer });
    expect(result).toMatchObject({ problem: expect.stringContaining('cannot be fetched') });
    expect(fetched.mock.calls).toHaveLength(1);
  });
});

describe('a provider of the platform that is open to one of two trunk groups', () => {
  it('exists for who has the one, and not for who has only the other', async () => {
    const asked = await createClosedWorld(['tg-1002']);
    const { issuer } = asked.world;
    const found = async (reach: readonly string[]) => {
      const ada = askAs(asked, reach);
      const { result } = await ada('listProviders', {});
      return [(await ada('findProvider', { issuer })).error?.class, (result as []).length];
    };
    expect(await found(['tg-1001'])).toEqual(['NotFoundError', 0]);
    expect(await found(['tg-1002'])).toEqual([undefined, 1]);
    expect(await found(groups)).toEqual([undefined, 1]);
    // Its limits say that it is closed; the provider itself is no secret from this person.
    expect((await askAs(asked, groups)('createClient', under(issuer))).error).toMatchObject({
      class: 'InputError',
      field: 'provider',
    });
  });

  it('is listed with the limits that were asked for', async () => {
    const asked = await createClosedWorld(['tg-1002']);
    const { issuer } = asked.world;
    const list = async (reach: readonly string[], serviceTrunkGroups: readonly string[]) =>
      (await askAs(asked, reach)('listProvidersWithLimits', { serviceTrunkGroups })).result;
    const closed = { serviceTrunkGroup: 'tg-1001', providers: others };
    const open = { serviceTrunkGroup: 'tg-1002', providers: [...others, issuer] };
    expect(await list(['tg-1001'], ['tg-1001'])).toMatchObject({ providers: [], limits: [closed] });
    expect(await list(groups, ['tg-1002', 'tg-1001'])).toMatchObject({
      providers: [{ issuer }],
      limits: [open, closed],
    });
    expect(await list(groups, ['tg-1001'])).toMatchObject({
      providers: [{ issuer }],
      limits: [closed],
    });
  });

  it.each([
    [['tg-2002'], { class: 'NotFoundError' }],
    [['tg-1001', 'no group'], { class: 'InputError', field: 'serviceTrunkGroups' }],
    [
      Array.from({ length: 101 }, () => 'tg-1001'),
      {
        class: 'InputError',
        text: 'service_trunk_groups: received "101 groups"; allowed: at most 100',
      },
    ],
  ])('is not listed with the limits of other groups', async (serviceTrunkGroups, expected) => {
    const ada = askAs(await createClosedWorld(groups), groups);
    const { error } = await ada('listProvidersWithLimits', { serviceTrunkGroups });
    expect(error).toMatchObject(expected);
  });

  it('exists for the staff', async () => {
    const asked = await createClosedWorld([]);
    const { issuer } = asked.world;
    expect((await asked.ask('findProvider', { issuer })).error).toBeUndefined();
    expect((await asked.ask('listProviders', {}, 'auditor')).result).toHaveLength(1);
  });
});
