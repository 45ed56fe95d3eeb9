import { describe, expect, it } from 'vitest';
import { maxClientPatternLookups } from '../../../contract/bounds.ts';
import type { ClaimCondition } from '../../../core/client/claim-condition.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  createProvider,
  createProviderClient,
  createWorld,
  providerClaims,
  providerIssuer,
  providerKey,
  reasonOf,
  refusalOf,
  type World,
} from '../../../lab/support/verifier-world.ts';

function bearer(claims: Readonly<Record<string, unknown>>): string {
  return `Bearer ${signToken(providerKey, { ...providerClaims, ...claims }, { typ: 'JWT' })}`;
}

function addClient(world: World, externalClientId: string, conditions?: readonly ClaimCondition[]) {
  const at = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId, conditions };
  const client = createProviderClient({ provider: at, name: externalClientId });
  world.clients.set(client.clientId, client);
  return client;
}

function createPatternWorld(): World {
  const world = createWorld();
  world.providers.set(providerIssuer, createProvider({ clientPatterns: true }));
  return world;
}

const branch = 'repo:acme/app:ref:refs/heads/main';

describe('a client whose id is a pattern', () => {
  it('is found, and its own id names the caller', async () => {
    const world = createPatternWorld();
    const { clientId } = addClient(world, 'repo:acme/app:ref:refs/heads/*');
    expect(await world.verify(bearer({ sub: branch }))).toMatchObject({
      clientId,
      subject: branch,
    });
  });

  it('is not found unless the registration allows patterns', async () => {
    const world = createWorld();
    addClient(world, 'repo:acme/app:ref:refs/heads/*');
    expect(await reasonOf(world.verify(bearer({ sub: branch })))).toBe('client_unknown');
    expect(world.lookups).toEqual([providerIssuer, deriveProviderClientId(providerIssuer, branch)]);
  });

  it('never decides before a more specific one, which also refuses for it', async () => {
    const world = createPatternWorld();
    addClient(world, 'repo:acme/app:ref:*');
    const exact = addClient(world, branch, [{ claim: 'environment', values: ['production'] }]);
    const accepted = await world.verify(bearer({ sub: branch, environment: 'production' }));
    expect(accepted).toMatchObject({ clientId: exact.clientId });
    expect(await reasonOf(world.verify(bearer({ sub: branch })))).toBe('client_condition_unmet');
    world.clients.set(exact.clientId, { ...exact, stops: personStop });
    expect(await reasonOf(world.verify(bearer({ sub: branch })))).toBe('client_disabled');
  });

  it('costs a bounded number of reads for every subject', async () => {
    for (const sub of [branch, `${branch}${'/a'.repeat(100)}`, 'a:'.repeat(127), '/'.repeat(255)]) {
      const world = createPatternWorld();
      expect(await reasonOf(world.verify(bearer({ sub })))).toBe('client_unknown');
      // The provider, the exact id, and the patterns.
      expect(world.lookups.length).toBeLessThanOrEqual(2 + maxClientPatternLookups);
    }
  });

  it('is not looked up before the signature was verified', async () => {
    const world = createPatternWorld();
    const forged = `${bearer({ sub: branch }).slice(0, -4)}AAAA`;
    expect(await reasonOf(world.verify(forged))).toBe('token_signature_wrong');
    expect(world.lookups).toEqual([providerIssuer]);
  });

  it('does not belong to another registration', async () => {
    const world = createPatternWorld();
    addClient(world, 'repo:acme/app:ref:refs/heads/*');
    const again = createProvider({ clientPatterns: true, registrationId: 'idp_2' });
    world.providers.set(providerIssuer, again);
    expect(await reasonOf(world.verify(bearer({ sub: branch })))).toBe('client_unknown');
  });
});

describe('the claims that a client requires', () => {
  const conditions: readonly ClaimCondition[] = [
    { claim: 'repository_id', values: ['1296269'] },
    { claim: 'ref_protected', values: ['true'] },
    { claim: '/kubernetes.io/pod/name', values: ['a', 'b'] },
  ];
  const good = {
    sub: branch,
    repository_id: '1296269',
    ref_protected: 'true',
    'kubernetes.io': { pod: { name: 'b' } },
  };

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['all of them', {}],
    ['a number in place of a text', { repository_id: 1_296_269 }],
    ['a boolean in place of a text', { ref_protected: true }],
  ])('accept %s', async (_, claims) => {
    const world = createPatternWorld();
    addClient(world, branch, conditions);
    await world.verify(bearer({ ...good, ...claims }));
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['another value', { repository_id: '1' }, 'repository_id'],
    ['none', { repository_id: undefined }, 'repository_id'],
    ['the other boolean', { ref_protected: false }, 'ref_protected'],
    ['a list with the value', { repository_id: ['1296269'] }, 'repository_id'],
    ['another case', { 'kubernetes.io': { pod: { name: 'B' } } }, '/kubernetes.io/pod/name'],
    ['a text for an object', { 'kubernetes.io': 'pod' }, '/kubernetes.io/pod/name'],
    ['null', { 'kubernetes.io': null }, '/kubernetes.io/pod/name'],
  ])('refuse %s, with the text of an unknown client', async (_, claims, name) => {
    const world = createPatternWorld();
    addClient(world, branch, conditions);
    const refusal = await refusalOf(world.verify(bearer({ ...good, ...claims })));
    const unknown = await refusalOf(world.verify(bearer({ ...good, sub: 'x' })));
    expect(refusal).toMatchObject({ reason: 'client_condition_unmet', status: 401 });
    expect(refusal.finding).toMatchObject({ name });
    expect(refusal.description).toBe(unknown.description);
  });

  it('never accept what every object has', async () => {
    const world = createPatternWorld();
    addClient(world, branch, [{ claim: '/constructor/name', values: ['Object'] }]);
    expect(await reasonOf(world.verify(bearer(good)))).toBe('client_condition_unmet');
  });
});
