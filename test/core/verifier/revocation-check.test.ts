import { describe, expect, it } from 'vitest';
import type { OnLookupFailure } from '../../../contract/revocation-check.ts';
import type { Client } from '../../../core/client/client.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { ClockError, MalformedRecordError, UnavailableError } from '../../../core/errors.ts';
import type { RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  createProviderClient,
  createWorld,
  externalClientId,
  now,
  otherKey,
  ownClaims,
  ownKey,
  providerClaims,
  providerIssuer,
  providerKey,
  reasonOf,
  refusalOf,
  type World,
} from '../../../lab/support/verifier-world.ts';

const clientId = ownClaims.client_id;

function createOwnClient(overrides: Partial<Client> = {}): Client {
  const { provider: _, ...client } = createProviderClient();
  return { ...client, clientId, serviceTrunkGroup: 'group-1', ...overrides };
}

/** A world whose check looks up the clients of own tokens, with the one of `ownClaims`. */
function checkingWorld(
  onLookupFailure: OnLookupFailure,
  client: Partial<Client> | undefined | Error,
): World {
  const lookups: string[] = [];
  const clients = {
    async findClient(id: string) {
      lookups.push(id);
      if (client instanceof Error) throw client;
      return client === undefined || id !== clientId ? undefined : createOwnClient(client);
    },
  };
  const world = createWorld({ revocation: { clients, onLookupFailure } });
  return { ...world, lookups };
}

function tokenOf(claims: Readonly<Record<string, unknown>> = {}, key = ownKey): string {
  return `Bearer ${signToken(key, { ...ownClaims, ...claims })}`;
}

const down = new UnavailableError('could not read an item of clients: ECONNREFUSED');

describe('a check that looks up the clients of own tokens', () => {
  it('accepts a token of an enabled client, after one look-up', async () => {
    const world = checkingWorld('refuse', {});
    expect(await world.verify(tokenOf())).toMatchObject({ clientId });
    expect(world.lookups).toEqual([clientId]);
  });

  const refused: readonly [string, Partial<Client> | undefined, RefusalReason][] = [
    ['of a deleted client', undefined, 'client_unknown'],
    ['of a disabled client', { stops: personStop }, 'client_disabled'],
    ['issued a second before the cut-off', { tokensNotBefore: now + 1 }, 'token_revoked'],
    [
      'of a disabled client, also if it is newer',
      { stops: personStop, tokensNotBefore: 1 },
      'client_disabled',
    ],
  ];

  it.each(refused)('refuses a token %s', async (_, client, reason) => {
    for (const choice of ['refuse', 'accept'] as const) {
      expect(await reasonOf(checkingWorld(choice, client).verify(tokenOf()))).toBe(reason);
    }
  });

  it.each([now, now - 1])('accepts a token of the second of the cut-off and later', async (cut) => {
    const world = checkingWorld('refuse', { tokensNotBefore: cut });
    expect(await world.verify(tokenOf())).toMatchObject({ clientId });
  });

  it('shows an operator both times, and the caller neither', async () => {
    const world = checkingWorld('refuse', { tokensNotBefore: now + 60 });
    const refusal = await refusalOf(world.verify(tokenOf()));
    expect(refusal).toMatchObject({
      status: 401,
      code: 'invalid_token',
      description: 'the access token was revoked',
      facts: { clientId },
    });
    expect(refusal.finding).toEqual({
      name: 'iat',
      received: '2026-11-20T00:00:00Z',
      expected:
        'at least 2026-11-20T00:01:00Z, as the client was created or its tokens were revoked then',
      serviceTrunkGroup: 'group-1',
    });
  });

  it('looks up no client for a token that is refused anyway', async () => {
    const world = checkingWorld('refuse', {});
    for (const token of [
      tokenOf({ aud: 'https://other.example' }),
      tokenOf({ exp: now - 3600, iat: now - 7200 }),
      tokenOf({}, otherKey),
    ]) {
      await refusalOf(world.verify(token));
    }
    expect(world.lookups).toEqual([]);
  });

  it('has no decision while the client cannot be looked up, if it refuses', async () => {
    await expect(checkingWorld('refuse', down).verify(tokenOf())).rejects.toBe(down);
  });

  it('accepts and says why it did not look up, if it accepts', async () => {
    const world = checkingWorld('accept', down);
    expect(await world.verify(tokenOf())).toMatchObject({ clientId, lookupFailure: down });
  });

  it.each([
    ['AccessDeniedException', new Error('not authorized')],
    ['a bug', new TypeError('x is undefined')],
    ['a wrong clock', new ClockError('the clock of this host is wrong')],
  ])('accepts no token after a failure that is no outage: %s', async (_, failure) => {
    await expect(checkingWorld('accept', failure).verify(tokenOf())).rejects.toBe(failure);
  });

  it('refuses a token whose client has a record that cannot be read, with both choices', async () => {
    for (const choice of ['refuse', 'accept'] as const) {
      const world = checkingWorld(choice, new MalformedRecordError('the item'));
      expect(await reasonOf(world.verify(tokenOf()))).toBe('record_malformed');
    }
  });

  it('checks scopes as before', async () => {
    const world = checkingWorld('refuse', {});
    expect(await reasonOf(world.verify(tokenOf(), ['calls:view']))).toBe('insufficient_scope');
  });
});

describe("a provider's client whose tokens were revoked", () => {
  function verify(tokensNotBefore: number, claims: Readonly<Record<string, unknown>>) {
    const world = createWorld();
    const id = deriveProviderClientId(providerIssuer, externalClientId);
    world.clients.set(id, createProviderClient({ tokensNotBefore }));
    const token = signToken(providerKey, { ...providerClaims, ...claims }, { typ: 'JWT' });
    return world.verify(`Bearer ${token}`);
  }

  it('is refused with earlier tokens, without opting in', async () => {
    expect(await reasonOf(verify(now + 1, {}))).toBe('token_revoked');
    expect(await verify(now, {})).toMatchObject({ issuer: providerIssuer });
  });

  it('is refused with tokens that do not say when they were issued', async () => {
    expect(await reasonOf(verify(1, { iat: undefined }))).toBe('token_revoked');
  });
});
