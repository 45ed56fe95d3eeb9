import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { maxOwnProviderKeys } from '../../../contract/bounds.ts';
import { FetchError, type FetchJson } from '../../../core/identity-provider/fetch-json.ts';
import { createTestKey } from '../../../lab/support/test-issuer.ts';
import { grantIssuer } from '../../adapters/management/world.ts';
import { askedWorld } from './restricted-world.ts';

// What one customer can make the service do, which the others pay for.

type AskedWorld = Awaited<ReturnType<typeof askedWorld>>;

const issuer = 'https://own.example.net';
const discoveryUrl = `${issuer}/.well-known/openid-configuration`;

function personOf(name: string) {
  return {
    person: { actor: `https://idp.example.net#${name}`, role: 'manager' },
    trunk_groups: ['tg-1001'],
  };
}

async function createCustomer(config: Parameters<typeof askedWorld>[0] = {}): Promise<AskedWorld> {
  const asked = await askedWorld(config);
  const { world } = asked;
  world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 1, ownProviders: 50 });
  world.documents.set(discoveryUrl, { issuer, jwks_uri: `${issuer}/keys` });
  world.documents.set(`${issuer}/keys`, { keys: [createTestKey('ES256').jwk] });
  grantIssuer(world, issuer, ['tg-1001']);
  world.audit.length = 0;
  return asked;
}

describe('an inspection of a provider', () => {
  const askers = [
    ['a customer in the portal', 'portal', personOf('ada'), 2],
    [
      'the staff in the portal',
      'portal',
      { person: { actor: 'https://idp.example.net#linus', role: 'administrator' } },
      2,
    ],
    ['a customer with authctl', 'administrator', { trunk_groups: ['tg-1001'] }, 2],
    ['the staff with authctl', 'administrator', {}, 5],
  ] as const;

  it.each(askers)('holds the function for a bounded time, of %s', async (_, alias, who, most) => {
    const { world, ask } = await createCustomer({ portalReach: { administrators: true } });
    // Three documents, because the issuer's own place must confirm the first.
    const elsewhere = `${issuer}/elsewhere/.well-known/openid-configuration`;
    world.documents.set(elsewhere, world.documents.get(discoveryUrl));
    const { fetchJson } = world.context;
    const slow: FetchJson = async (url, { timeout = 0 } = {}) => {
      const time = Math.min(timeout / 1000, 1.9);
      world.now += time;
      if (time < 1.9) throw new FetchError(url, 'timeout');
      return fetchJson(url);
    };
    Object.assign(world.context, { fetchJson: slow });
    const begun = world.now;
    const { result } = await ask('inspectProvider', { discoveryUrl: elsewhere }, alias, who);
    expect(result).toMatchObject({ problem: expect.stringContaining('did not answer in time') });
    expect(world.now - begun).toBeCloseTo(most);
  });
});

describe("the keys of a customer's own provider", () => {
  const small = createTestKey('ES256').jwk;
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...small, kid: `key-${index}` }));
  const rsa = (modulusLength: number) => ({
    ...generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }),
    kid: 'large',
    alg: 'RS256',
  });
  const allowed = `a provider of a trunk group's own may have at most ${maxOwnProviderKeys} keys, RSA keys of at most 4096 bits`;

  it.each([
    ['21 keys', many(21), `the key set is refused: it has 21 keys; ${allowed}`],
    [
      '21 keys of which some are not used',
      [...many(19), { kty: 'RSA', kid: 'a', use: 'enc' }, { kty: 'RSA' }],
      `the key set is refused: it has 21 keys; ${allowed}`,
    ],
    [
      'a key of 4,104 bits',
      [rsa(4104)],
      `the key set is refused: the modulus of the key "large" has 4104 bits; ${allowed}`,
    ],
  ])('are refused with %s, which the staff may register for everyone', async (_, keys, text) => {
    const { world, ask } = await createCustomer();
    world.documents.set(`${issuer}/keys`, { keys });
    const ada = (operation: string) => ask(operation, { discoveryUrl }, 'portal', personOf('ada'));
    expect((await ada('inspectProvider')).result).toMatchObject({
      registrable: false,
      problem: text,
    });
    expect((await ada('registerProvider')).error).toMatchObject({ class: 'KeySetError', text });
    const forGroup = { discoveryUrl, options: { trunkGroups: ['tg-1001'] } };
    expect((await ask('registerProvider', forGroup)).error).toMatchObject({ text });
    expect(world.providers.has(issuer)).toBe(false);
    expect((await ask('registerProvider', { discoveryUrl })).error).toBeUndefined();
  });

  it('are accepted up to the limit', async () => {
    const { world, ask } = await createCustomer();
    world.documents.set(`${issuer}/keys`, { keys: [...many(19), rsa(4096)] });
    const { error } = await ask('registerProvider', { discoveryUrl }, 'portal', personOf('ada'));
    expect(error).toBeUndefined();
  });
});

describe('the owners of providers', () => {
  it('are read only of what exists, however many registrations were deleted', async () => {
    const { world, ask } = await createCustomer();
    await ask('registerProvider', { discoveryUrl }, 'portal', personOf('ada'));
    const registrationId = world.providers.get(issuer)?.registrationId;
    for (let index = 0; index < 5000; index += 1) {
      const owner = { issuer, trunkGroups: ['tg-2002'], version: 1, updatedAt: 1 };
      world.owners.set(`own_${index}`, { ...owner, registrationId: `own_${index}` });
    }
    const read = vi.spyOn(world.context.providerOwners, 'findEach');
    expect((await ask('listProviders', {})).result).toHaveLength(2);
    const list = await ask('listProviders', {}, 'portal', personOf('ada'));
    expect(list.result).toHaveLength(2);
    expect(read.mock.calls.flat().every((ids) => ids.length <= 1)).toBe(true);
    expect(read.mock.calls.flat(2)).toContain(registrationId);
  });
});
