import { beforeEach, describe, expect, it, vi } from 'vitest';
import { jwksCacheTimes, verifierLeeway } from '../../../contract/bounds.ts';
import { isSignatureValid } from '../../../core/jws/jws-signature.ts';
import { VerifiedTokens } from '../../../core/verifier/verified-tokens.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import {
  createProvider,
  createProviderClient,
  createWorld,
  issuer,
  otherKey,
  ownClaims,
  ownKey,
  providerClaims,
  providerIssuer,
  providerKey,
  reasonOf,
} from '../../../lab/support/verifier-world.ts';

vi.mock(import('../../../core/jws/jws-signature.ts'), async (original) => {
  const { isSignatureValid: actual } = await original();
  return { isSignatureValid: vi.fn(actual) };
});
const verify = vi.mocked(isSignatureValid);

beforeEach(() => {
  verify.mockClear();
});

function createWorldThatRemembers(maxLength = 100_000) {
  return createWorld({ verifiedTokens: new VerifiedTokens(maxLength) });
}

const token = signToken(ownKey, ownClaims);
const providerToken = signToken(providerKey, providerClaims);

describe('a token that was verified before', () => {
  it('is accepted with the same values, and its signature is verified once', async () => {
    const world = createWorldThatRemembers();
    const first = await world.verify(`Bearer ${token}`);
    expect(await world.verify(`Bearer ${token}`)).toEqual(first);
    expect(await world.verify(`bearer   ${token}`)).toEqual(first);
    expect(verify).toHaveBeenCalledOnce();
  });

  it('is verified each time without a memory', async () => {
    const world = createWorld();
    await world.verify(`Bearer ${token}`);
    await world.verify(`Bearer ${token}`);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('gives each caller values of its own', async () => {
    const world = createWorldThatRemembers();
    const listed = signToken(ownKey, { ...ownClaims, aud: [ownClaims.aud, 'https://other'] });
    const first = await world.verify(`Bearer ${listed}`);
    if (first.credential !== 'access_token') throw new Error('not a token');
    (first.audiences as string[]).length = 0;
    (first.scopes as string[]).push('admin:all');
    expect(await world.verify(`Bearer ${listed}`)).toMatchObject({
      audiences: [ownClaims.aud, 'https://other'],
      scopes: ['messaging:view', 'messaging:manage'],
    });
  });

  it('is refused once it has expired', async () => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${token}`);
    world.now = ownClaims.exp + verifierLeeway;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_expired');
  });

  it('is refused if the clock is set back to before its beginning', async () => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${token}`);
    world.now = ownClaims.iat - verifierLeeway - 1;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_not_yet_valid');
  });

  it('is refused once its key is withdrawn from the key set', async () => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${token}`);
    world.jwks.set(issuer, [otherKey]);
    world.now += jwksCacheTimes.refreshBefore;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_key_unknown');
  });

  it('is verified again under the keys of a new key set, and refused under another key', async () => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${token}`);
    world.now += jwksCacheTimes.refreshBefore;
    await world.verify(`Bearer ${token}`);
    expect(verify).toHaveBeenCalledTimes(2);
    const impostor = createTestKey('RS256');
    world.jwks.set(issuer, [{ ...impostor, jwk: { ...impostor.jwk, kid: ownKey.jwk.kid } }]);
    world.now += jwksCacheTimes.refreshBefore;
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_signature_wrong');
  });

  it('is refused for scopes that it does not have', async () => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${token}`, ['messaging:view']);
    expect(await reasonOf(world.verify(`Bearer ${token}`, ['calls:view']))).toBe(
      'insufficient_scope',
    );
  });

  it('says nothing about another token with the same claims', async () => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${token}`);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const forged = Buffer.from(signature, 'base64url');
    forged.writeUInt8(forged.readUInt8(0) ^ 1);
    const other = [header, payload, forged.toString('base64url')].join('.');
    expect(await reasonOf(world.verify(`Bearer ${other}`))).toBe('token_signature_wrong');
    // Nor is a refusal remembered as anything else.
    expect(await reasonOf(world.verify(`Bearer ${other}`))).toBe('token_signature_wrong');
  });
});

describe("a provider's token that was verified before", () => {
  it.each([
    ['the provider is deleted', 'issuer_unknown'],
    ['the client is disabled', 'client_disabled'],
    ['the provider is registered again', 'client_unknown'],
    ['the algorithm is not allowed any more', 'token_algorithm_not_allowed'],
  ] as const)('is refused once %s', async (_, reason) => {
    const world = createWorldThatRemembers();
    await world.verify(`Bearer ${providerToken}`);
    await world.verify(`Bearer ${providerToken}`);
    expect(verify).toHaveBeenCalledOnce();
    const client = createProviderClient({ stops: personStop });
    const changes = {
      issuer_unknown: () => world.providers.delete(providerIssuer),
      client_disabled: () => world.clients.set(client.clientId, client),
      client_unknown: () =>
        world.providers.set(providerIssuer, createProvider({ registrationId: 'idp_2' })),
      token_algorithm_not_allowed: () =>
        world.providers.set(providerIssuer, createProvider({ allowedAlgorithms: ['RS256'] })),
    };
    changes[reason]();
    expect(await reasonOf(world.verify(`Bearer ${providerToken}`))).toBe(reason);
  });
});

describe('the memory of verified tokens', () => {
  const entry = { header: {}, payload: {}, key: {} as never };

  it('is bounded by the length of all tokens, and forgets the one that was not used longest', () => {
    const memory = new VerifiedTokens(3000);
    for (const name of ['a', 'b', 'c']) memory.remember(name.repeat(1000), entry);
    expect(memory.find('a'.repeat(1000))).toBeDefined();
    memory.remember('d'.repeat(1000), entry);
    const known = ['a', 'b', 'c', 'd'].filter((name) => memory.find(name.repeat(1000)));
    expect(known).toEqual(['a', 'c', 'd']);
  });

  it('forgets as many as a long token needs, and does not keep one that is too long', () => {
    const memory = new VerifiedTokens(3000);
    for (const name of ['a', 'b', 'c']) memory.remember(name.repeat(1000), entry);
    memory.remember('e'.repeat(2000), entry);
    expect(memory.find('b'.repeat(1000))).toBeUndefined();
    expect(memory.find('c'.repeat(1000))).toBeDefined();
    memory.remember('f'.repeat(3001), entry);
    expect(memory.find('f'.repeat(3001))).toBeUndefined();
  });

  it('counts a token once, however often it is verified', () => {
    const memory = new VerifiedTokens(2000);
    memory.remember('a'.repeat(1000), entry);
    for (let times = 0; times < 5; times += 1) memory.remember('b'.repeat(1000), entry);
    expect(memory.find('a'.repeat(1000))).toBeDefined();
  });

  it.each([
    ['empty objects', {}],
    ['empty arrays', []],
    ['numbers', 0],
    ['nulls', null],
  ])('keeps few tokens that are full of %s, which take more memory than their text', (_, value) => {
    const values = Array.from({ length: 3000 }, () => value);
    const payload = { ...ownClaims, values };
    const verified = { header: {}, payload, key: ownKey as never };
    const tokens = new VerifiedTokens(4_000_000);
    const texts = Array.from({ length: 400 }, (__, index) => `${index}.${'a'.repeat(10_000)}`);
    for (const text of texts) tokens.remember(text, verified);
    expect(texts.filter((text) => tokens.find(text) !== undefined)).toHaveLength(59);
  });

  it('keeps fewer tokens whose objects have names of their own, each with a hidden class', () => {
    const values = Array.from({ length: 1000 }, (_, index) => ({ [`name${index}`]: 0 }));
    const verified = { header: {}, payload: { ...ownClaims, values }, key: ownKey as never };
    const tokens = new VerifiedTokens(4_000_000);
    const texts = Array.from({ length: 400 }, (_, index) => `${index}.${'a'.repeat(10_000)}`);
    for (const text of texts) tokens.remember(text, verified);
    // Of as many values without names, twice as many are kept.
    expect(texts.filter((text) => tokens.find(text) !== undefined)).toHaveLength(45);
  });

  it('keeps no token', () => {
    const kept = vi.spyOn(Map.prototype, 'set');
    new VerifiedTokens(1000).remember('a-token-that-no-one-may-read', entry);
    const calls = JSON.stringify(kept.mock.calls);
    kept.mockRestore();
    expect(calls).toContain('payload');
    expect(calls).not.toContain('no-one-may-read');
  });
});
