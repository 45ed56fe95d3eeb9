import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { OAuthError } from '../../../core/oauth-error.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { TokenFleet } from '../../../lab/support/token-fleet.ts';

describe('instances that share tokens', () => {
  it('issue one token for the same request, with the rest of its life', async () => {
    const fleet = new TokenFleet(3);
    const first = await fleet.ask(0);
    fleet.now += 600;
    const others = [await fleet.ask(1), await fleet.ask(2)];
    expect(others.map(({ token }) => token)).toEqual([first.token, first.token]);
    expect(others.map(({ expiresIn }) => expiresIn)).toEqual([3000, 3000]);
    expect(fleet.signs).toBe(1);
  });

  it('log the token that was issued, and that it was reused', async () => {
    const fleet = new TokenFleet(2);
    const { token } = await fleet.ask(0);
    const { log } = await fleet.ask(1);
    expect(log).toMatchObject({ isReused: true, jti: decodeJwt(token).jti, secretUse: 'recorded' });
  });

  it('read the table once for a token that they then have themselves', async () => {
    const fleet = new TokenFleet(2);
    await fleet.ask(0);
    await fleet.ask(1);
    for (let count = 0; count < 5; count += 1) await fleet.ask(1);
    expect([fleet.table.reads, fleet.table.writes]).toEqual([2, 1]);
  });

  it('sign again once too little of its life remains, and then share the new one', async () => {
    const fleet = new TokenFleet(2);
    const first = await fleet.ask(0);
    fleet.now += 1800;
    expect((await fleet.ask(1)).token).toBe(first.token);
    fleet.now += 1;
    const second = await fleet.ask(1);
    expect(second.token).not.toBe(first.token);
    expect(second.expiresIn).toBe(3600);
    expect((await fleet.ask(0)).token).toBe(second.token);
  });

  it('store an item that ends with the hour in which its token can last be reused', async () => {
    const fleet = new TokenFleet(1);
    await fleet.ask(0);
    const [item] = fleet.table.items.values();
    expect((item?.expiresAt ?? 0) % 3600).toBe(0);
    expect(item?.expiresAt).toBeGreaterThanOrEqual(fleet.now + 1800);
    expect(item?.expiresAt).toBeLessThan(fleet.now + 1800 + 3600);
  });

  it('issue no token from the future: a clock went back', async () => {
    const fleet = new TokenFleet(2);
    const first = await fleet.ask(0);
    fleet.now -= 1;
    expect((await fleet.ask(1)).token).not.toBe(first.token);
  });

  it('share nothing that a fallback key signed', async () => {
    const fleet = new TokenFleet(2);
    fleet.useKey(1);
    const [current, fallback] = fleet.keys;
    fleet.unusable.add(current?.kid ?? '');
    expect((await fleet.ask(0)).log.kid).toBe(fallback?.kid);
    expect(fleet.table.writes).toBe(0);
    fleet.unusable.clear();
    expect((await fleet.ask(1)).log.kid).toBe(current?.kid);
  });

  it('report a table that fails', async () => {
    const fleet = new TokenFleet(1);
    fleet.table.failures = 1;
    expect((await fleet.ask(0)).log.sharedReuse).toBe('failed');
    expect((await fleet.ask(0, { scope: 'messaging:view' })).log.sharedReuse).toBeUndefined();
  });

  it('neither read nor store for a secret that is not of the form of ours', async () => {
    const fleet = new TokenFleet(1);
    const foreign = 'correct horse battery staple';
    fleet.changeClient({ secrets: [makeSecret(foreign)] });
    await expect(fleet.ask(0, { secret: 2 })).rejects.toThrow(OAuthError);
    expect([fleet.table.reads, fleet.table.writes]).toEqual([1, 0]);
  });
});

describe('a shared token', () => {
  const changes: readonly (readonly [string, (fleet: TokenFleet) => void])[] = [
    ['the client was changed', (fleet) => fleet.changeClient({})],
    ['the client has another scope', (fleet) => fleet.changeClient({ scopes: ['calls:view'] })],
    ['the client has another life', (fleet) => fleet.changeClient({ tokenLifetime: 600 })],
    // A restored table may give an old version number to another record.
    [
      'only the record says so',
      (fleet) => fleet.changeClient({ audiences: ['urn:x'], version: 1 }),
    ],
    [
      'only the group is another',
      (fleet) => fleet.changeClient({ serviceTrunkGroup: 'stg-2', version: 1 }),
    ],
    ['the key rotated', (fleet) => fleet.useKey(1)],
    ['the key was withdrawn', (fleet) => fleet.useKey(1, 'withdrawn')],
  ];
  it.each(changes)('is not issued once %s', async (_, change) => {
    const fleet = new TokenFleet(2);
    const first = await fleet.ask(0);
    change(fleet);
    for (const instance of [1, 0]) {
      const { token, log } = await fleet.ask(instance);
      expect(token).not.toBe(first.token);
      expect(log.kid).toBe(fleet.keys[0]?.kid);
    }
    expect(fleet.signs).toBe(2);
  });

  it.each([
    ['was revoked', { secrets: [] }],
    ['has expired', { secrets: [makeSecret(secretValueOf(1), { expiresAt: 1_800_000_000 })] }],
    ['is of a client that was disabled', { enabled: false }],
  ])('is not issued for a secret that %s', async (_, change) => {
    const fleet = new TokenFleet(2);
    await fleet.ask(0);
    fleet.changeClient({ ...change, version: 1 });
    await expect(fleet.ask(1)).rejects.toThrow(OAuthError);
  });

  it('is of one secret: another secret of the client has its own', async () => {
    const fleet = new TokenFleet(2);
    const secrets = [makeSecret(secretValueOf(1)), makeSecret(secretValueOf(2))];
    fleet.changeClient({ secrets });
    const first = await fleet.ask(0, { secret: 1 });
    expect((await fleet.ask(1, { secret: 2 })).token).not.toBe(first.token);
  });

  it('is of one token request', async () => {
    const fleet = new TokenFleet(2);
    fleet.changeClient({ audiences: ['https://a.example', 'https://b.example'] });
    fleet.clients.set(clientIdOf(2), makeClient({ clientId: clientIdOf(2) }));
    const requests = [
      {},
      { scope: 'messaging:view' },
      { scope: 'messaging:manage' },
      { resource: 'https://b.example' },
      { client: 2 },
    ];
    const tokens = new Set<string>();
    for (const request of requests) tokens.add((await fleet.ask(0, request)).token);
    for (const request of requests) tokens.add((await fleet.ask(1, request)).token);
    expect([tokens.size, fleet.signs]).toEqual([requests.length, requests.length]);
  });
});
