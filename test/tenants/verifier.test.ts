import { describe, expect, it } from 'vitest';
import { jwksCacheTimes } from '../../contract/bounds.ts';
import { FetchError } from '../../core/identity-provider/fetch-json.ts';
import { createTestKey, signToken } from '../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  audience,
  createProvider,
  createProviderClient,
  createTestKeys,
  createWorld,
  now,
  otherIssuer,
  ownClaims,
  ownKey,
  providerClaims,
  providerKey,
  type World,
} from '../../lab/support/verifier-world.ts';

const wickedKey = createTestKey('ES256');

/** What the provider of a hostile customer answers when its keys are fetched. */
const behaviours: Readonly<Record<string, () => unknown>> = {
  hangs: () => {
    throw new FetchError(`${otherIssuer}/jwks`, 'timeout');
  },
  redirects: () => {
    throw new FetchError(`${otherIssuer}/jwks`, 'redirect');
  },
  'fails without an error': () => Promise.reject(),
  'says nothing': () => undefined,
  'sends HTML': () => '<html>',
  'has no keys': () => ({ keys: [] }),
  'has 143 kB of keys': () => ({
    keys: Array.from({ length: 100 }, (_, index) => ({
      ...wickedKey.jwk,
      kid: `${index}`.repeat(450),
    })),
  }),
  'changes its keys': () => ({ keys: [createTestKey('ES256').jwk] }),
  'has the keys of the other provider': () => ({ keys: [providerKey.jwk] }),
  'has the keys of the service': () => ({ keys: [ownKey.jwk] }),
  'publishes its private key': () => ({ keys: [{ ...wickedKey.jwk, d: 'AAAA' }] }),
};

const credentials: Readonly<Record<string, string>> = {
  'a token of the service': signToken(ownKey, ownClaims),
  'a token of its own provider': signToken(providerKey, providerClaims),
  'an API key': apiKeyValue,
  'a token with a wrong signature': signToken(
    { ...wickedKey, kid: providerKey.kid },
    providerClaims,
  ),
};

interface Observed {
  readonly world: World;
  /** Makes the provider of the hostile customer do it, and asks 40 times with its tokens. */
  readonly disturb: (behaviour: () => unknown) => Promise<void>;
}

function createTwoProviders(): Observed {
  let behaviour: () => unknown = () => ({ keys: [wickedKey.jwk] });
  const time = { now };
  const jwks = createTestKeys(time, async (source) => {
    world.fetches.push(source);
    if (source.issuer === otherIssuer) return behaviour();
    return {
      keys: (world.jwks.get(source.issuer) as readonly { jwk: object }[]).map((key) => key.jwk),
    };
  });
  const world = createWorld({ jwks });
  const registrationId = 'idp_2';
  const wicked = createProvider({
    issuer: otherIssuer,
    registrationId,
    owned: true,
    ownedBy: 'tg-1',
    jwksUri: `${otherIssuer}/jwks`,
  });
  world.providers.set(otherIssuer, wicked);
  const provider = { issuer: otherIssuer, registrationId, externalClientId: 'app-1' };
  const client = createProviderClient({ provider });
  world.clients.set(client.clientId, client);
  return {
    world,
    async disturb(next) {
      const claims = { ...providerClaims, iss: otherIssuer, aud: audience };
      const tokens = [wickedKey, providerKey, ownKey].map((key) => signToken(key, claims));
      await Promise.allSettled(tokens.map((token) => world.verify(`Bearer ${token}`)));
      behaviour = next;
      for (let index = 0; index < 4; index += 1) {
        time.now += jwksCacheTimes.cooldown;
        const asked = Array.from({ length: 10 }, (_, token) => tokens[token % tokens.length]);
        await Promise.allSettled(asked.map((token) => world.verify(`Bearer ${token}`)));
      }
    },
  };
}

/** What a caller of the other customer gets, and what is read and fetched for it. */
async function observe(credential: string, behaviour: (() => unknown) | undefined, warm: boolean) {
  const { world, disturb } = createTwoProviders();
  const ask = () =>
    world.verify(`Bearer ${credential}`).then(
      (verified) => verified,
      (error: Error) => error.message,
    );
  if (warm) await ask();
  if (behaviour !== undefined) await disturb(behaviour);
  world.fetches.length = 0;
  world.lookups.length = 0;
  const outcome = await ask();
  return { outcome, fetches: world.fetches.map(({ issuer }) => issuer), lookups: world.lookups };
}

describe.each(Object.entries(behaviours))('a provider that %s', (_, behaviour) => {
  it.each(Object.entries(credentials))('changes nothing for %s', async (name, credential) => {
    const quiet = await observe(credential, undefined, false);
    expect(await observe(credential, behaviour, false)).toEqual(quiet);
    expect(typeof quiet.outcome === 'string').toBe(name.includes('wrong'));
    const warm = await observe(credential, undefined, true);
    expect(await observe(credential, behaviour, true)).toEqual(warm);
    expect(warm.fetches).toEqual([]);
  });

  it('gets no token of its own accepted for another issuer, and few fetches', async () => {
    const { world, disturb } = createTwoProviders();
    await disturb(behaviour);
    expect(world.fetches.length).toBeLessThanOrEqual(5);
    for (const claims of [providerClaims, ownClaims]) {
      await expect(world.verify(`Bearer ${signToken(wickedKey, claims)}`)).rejects.toThrow(
        'refused',
      );
    }
  });
});

describe('an issuer that differs by form', () => {
  const forms = [
    (iss: string) => `${iss}/`,
    (iss: string) => `${iss}//`,
    (iss: string) => `${iss}:443`,
    (iss: string) => `${iss}.`,
    (iss: string) => `${iss}/.`,
    (iss: string) => `${iss}/%2e`,
    (iss: string) => `${iss}?a`,
    (iss: string) => `${iss}#a`,
    (iss: string) => ` ${iss}`,
    (iss: string) => `${iss}\u0000`,
    (iss: string) => iss.toUpperCase(),
    (iss: string) => iss.replace('https', 'HTTPS'),
    (iss: string) => iss.replace('https', 'http'),
    (iss: string) => iss.replace('//', '//user@'),
  ].map((form) => form(providerClaims.iss));

  it.each(forms)('%j is no provider, and fetches nothing', async (iss) => {
    const { world, disturb } = createTwoProviders();
    await disturb(() => ({ keys: [providerKey.jwk] }));
    world.fetches.length = 0;
    for (const key of [wickedKey, providerKey]) {
      const token = signToken(key, { ...providerClaims, iss });
      await expect(world.verify(`Bearer ${token}`)).rejects.toThrow('refused');
    }
    expect(world.fetches).toEqual([]);
    const own = await world.verify(`Bearer ${signToken(providerKey, providerClaims)}`);
    expect(own).toMatchObject({ issuer: providerClaims.iss });
  });
});
