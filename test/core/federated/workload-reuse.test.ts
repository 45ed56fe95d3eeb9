import { expect, it } from 'vitest';
import { TokenReuse } from '../../../core/token/token-reuse.ts';

const now = 1_800_000_000;
const kid = 'kid-1';

/** Takes a token as an assertion with this bound gets it, `at` seconds later. */
function take(reuse: TokenReuse, { at, latestExpiry, secretHash = 'idp_1 key-1 3600' }: Options) {
  const iat = now + at;
  const exp = Math.min(iat + 3600, latestExpiry);
  const claims = {
    iss: 'https://auth.example.com',
    sub: 'client_1',
    aud: 'https://api.example.com',
    client_id: 'client_1',
    iat,
    exp,
    jti: `jti-${at}`,
    scope: 'messaging:view',
    service_trunk_group: 'tg-7',
  };
  return reuse.take({ claims, secretHash, clientVersion: 1, latestExpiry, kid }, async () => ({
    jws: 'x',
    kid,
    refusals: [],
    claims,
  }));
}

interface Options {
  readonly at: number;
  /** When the token of this assertion ends at the latest. */
  readonly latestExpiry: number;
  readonly secretHash?: string;
}

it('a token for an assertion is issued again only if it ends within the bound of the next one', async () => {
  const reuse = new TokenReuse({ minimumRemainingShare: 0.25, maxTokens: 10 });
  const long = now + 4000;
  expect((await take(reuse, { at: 0, latestExpiry: long })).isReused).toBe(false);
  // The same file again, while its own lifetime already shortens a new token.
  expect(await take(reuse, { at: 1000, latestExpiry: long })).toMatchObject({
    isReused: true,
    token: { claims: { exp: now + 3600 } },
  });
  expect(await take(reuse, { at: 1000, latestExpiry: now + 3599 })).toMatchObject({
    isReused: false,
    token: { claims: { exp: now + 3599 } },
  });
  // Another key of the provider, or another registration.
  const other = { at: 1000, latestExpiry: long, secretHash: 'idp_2 key-1 3600' };
  expect((await take(reuse, other)).isReused).toBe(false);
});
