import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { AccessTokenClaims } from '../../../core/token/access-token-claims.ts';
import {
  type ReuseRequest,
  type SignedToken,
  TokenReuse,
} from '../../../core/token/token-reuse.ts';

const now = 1_800_000_000;
const lifetime = 3600;

function requestAt(time: number, different: Partial<AccessTokenClaims> = {}): ReuseRequest {
  const claims = {
    iss: 'https://auth.example.com',
    sub: 'client_1',
    aud: 'https://api.example.com',
    client_id: 'client_1',
    iat: time,
    exp: time + lifetime,
    jti: `jti-${time}`,
    scope: 'messaging:view',
    service_trunk_group: 'stg-1',
    ...different,
  };
  return { claims, secretHash: 'sha256$1', clientVersion: 1, kid: 'k1' };
}

function setUp(minimumRemainingShare = 0.5, maxTokens = 10) {
  const reuse = new TokenReuse({ minimumRemainingShare, maxTokens });
  let serial = 0;
  const signer = vi.fn(async ({ claims, kid = '' }: ReuseRequest): Promise<SignedToken> => {
    serial += 1;
    return { jws: `jws-${serial}`, claims, kid, refusals: [] };
  });
  const take = (request: ReuseRequest) => reuse.take(request, () => signer(request));
  return { reuse, signer, take };
}

describe('a client that asks for other scopes each time', () => {
  it('displaces its own tokens, of which sixteen are kept, and none of others', async () => {
    const { take, signer } = setUp(0.5, 1000);
    const other = requestAt(now, { client_id: 'client_2', sub: 'client_2' });
    await take(other);
    for (let n = 0; n < 2000; n++) await take(requestAt(now, { scope: `scope-${n}` }));
    expect(await take(other)).toMatchObject({ isReused: true });
    signer.mockClear();
    for (let n = 1984; n < 2000; n++) await take(requestAt(now, { scope: `scope-${n}` }));
    expect(signer).not.toHaveBeenCalled();
    expect(await take(requestAt(now, { scope: 'scope-1983' }))).toMatchObject({ isReused: false });
  });
});

describe('a token that was given', () => {
  it('is given again while enough of its life remains', async () => {
    const { take } = setUp(0.5);
    const first = await take(requestAt(now));
    const last = await take(requestAt(now + lifetime / 2));
    expect(last).toEqual({ token: first.token, isReused: true });
  });

  it('is not given again one second later', async () => {
    const { take } = setUp(0.5);
    await take(requestAt(now));
    expect(await take(requestAt(now + lifetime / 2 + 1))).toMatchObject({
      isReused: false,
      token: { jws: 'jws-2' },
    });
  });

  it('is not given again when the clock went back', async () => {
    const { take } = setUp();
    await take(requestAt(now));
    expect(await take(requestAt(now - 1))).toMatchObject({ isReused: false });
  });

  const others: readonly (readonly [string, ReuseRequest])[] = [
    ['another secret', { ...requestAt(now), secretHash: 'sha256$2' }],
    ['a client that was changed', { ...requestAt(now), clientVersion: 2 }],
    ['another client', requestAt(now, { sub: 'client_2', client_id: 'client_2' })],
    ['another scope', requestAt(now, { scope: 'messaging:manage' })],
    ['another audience', requestAt(now, { aud: 'https://other.example.com' })],
    ['another issuer', requestAt(now, { iss: 'https://other.example.com' })],
    ['another trunk group', requestAt(now, { service_trunk_group: 'stg-2' })],
    ['another life', requestAt(now, { exp: now + 60 })],
    ['another signing key', { ...requestAt(now), kid: 'k2' }],
    ['no signing key', { ...requestAt(now), kid: undefined }],
  ];
  it.each(others)('is not given for %s', async (_name, other) => {
    const { take } = setUp();
    await take(requestAt(now));
    expect(await take(other)).toMatchObject({ isReused: false, token: { jws: 'jws-2' } });
  });

  it('makes room for others, the oldest first', async () => {
    const { take } = setUp(0.5, 2);
    const scopes = ['a', 'b', 'c'];
    for (const scope of scopes) await take(requestAt(now, { scope }));
    const again = [];
    for (const scope of ['c', 'b', 'a']) again.push(await take(requestAt(now, { scope })));
    expect(again.map(({ isReused }) => isReused)).toEqual([true, true, false]);
  });
});

describe('requests that come together', () => {
  it('wait for one signature', async () => {
    const { take, signer } = setUp();
    const all = await Promise.all([1, 2, 3].map(() => take(requestAt(now))));
    expect(signer).toHaveBeenCalledTimes(1);
    expect(all.map(({ token }) => token.jws)).toEqual(['jws-1', 'jws-1', 'jws-1']);
    expect(all.map(({ isReused }) => isReused)).toEqual([false, true, true]);
  });

  it('fail together, and the next request signs again', async () => {
    const { take, signer } = setUp();
    signer.mockRejectedValueOnce(new Error('KMS is down'));
    const all = await Promise.allSettled([1, 2].map(() => take(requestAt(now))));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await take(requestAt(now))).toMatchObject({ isReused: false, token: { jws: 'jws-1' } });
  });

  it('do not wait for a signature for something else', async () => {
    const { take, signer } = setUp();
    await Promise.all(['a', 'b'].map((scope) => take(requestAt(now, { scope }))));
    expect(signer).toHaveBeenCalledTimes(2);
  });
});

describe('any requests in any order', () => {
  const step = fc.record({
    wait: fc.nat({ max: 2000 }),
    secretHash: fc.constantFrom('sha256$1', 'sha256$2'),
    clientVersion: fc.constantFrom(1, 2),
    kid: fc.constantFrom('k1', 'k2'),
    scope: fc.constantFrom('a', 'b'),
  });

  it('a token fits its request, comes from the key of now and has enough life left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, share, maxTokens) => {
          const { take } = setUp(share, maxTokens);
          const givenTo = new Map<string, string>();
          let time = now;
          for (const { wait, scope, ...rest } of steps) {
            time += wait;
            const { token } = await take({ ...requestAt(time, { scope }), ...rest });
            const { claims, kid, jws } = token;
            expect([claims.scope, kid]).toEqual([scope, rest.kid]);
            expect(claims.exp - time).toBeGreaterThanOrEqual(share * lifetime);
            const owner = JSON.stringify([rest.secretHash, rest.clientVersion, scope]);
            expect(givenTo.get(jws) ?? owner).toBe(owner);
            givenTo.set(jws, owner);
          }
        },
      ),
    );
  });
});
