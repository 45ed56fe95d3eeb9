import { JwtRsaVerifier } from 'aws-jwt-verify';
import fc from 'fast-check';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifierLeeway } from '../../../contract/bounds.ts';
import { encodeJson, signParts } from '../../../lab/support/test-issuer.ts';
import {
  audience,
  createWorld,
  issuer,
  ownClaims,
  ownKey,
} from '../../../lab/support/verifier-world.ts';

const world = createWorld();
const now = 1_800_000_000;
const claims = { ...ownClaims, iat: now, exp: now + 3600 };
const header = { alg: 'RS256', kid: ownKey.kid, typ: 'at+jwt' };
const keys = { keys: [{ ...ownKey.jwk }] };

const joseKeys = createLocalJWKSet(keys);
const awsVerifier = JwtRsaVerifier.create({
  issuer,
  audience,
  jwksUri: `${issuer}/jwks.json`,
  graceSeconds: verifierLeeway,
});
awsVerifier.cacheJwks(keys);

type Acceptance = boolean;

async function isAccepted(verification: Promise<unknown>): Promise<Acceptance> {
  return verification.then(
    () => true,
    () => false,
  );
}

function ours(token: string): Promise<Acceptance> {
  world.now = now;
  return isAccepted(world.verify(`Bearer ${token}`));
}

/** jose with every check that RFC 9068 asks for. */
function jose(token: string): Promise<Acceptance> {
  const options = {
    issuer,
    audience,
    algorithms: ['RS256'],
    typ: 'at+jwt',
    requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    clockTolerance: verifierLeeway,
  };
  return isAccepted(jwtVerify(token, joseKeys, options));
}

/** aws-jwt-verify as it comes: it asks for neither `typ` nor `exp` by itself. */
function aws(token: string): Promise<Acceptance> {
  return isAccepted(awsVerifier.verify(token));
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 0, -1, 1.5, 1e308, [], {}, 'none', 'at+jwt', audience),
  fc.constantFrom<unknown>([audience], [issuer], now, now + 60, now - 60, String(now + 60)),
  fc.jsonValue(),
);
const changedClaims = fc.dictionary(
  fc.constantFrom('iss', 'aud', 'exp', 'nbf', 'iat', 'sub', 'client_id', 'jti', 'scope'),
  odd,
  { maxKeys: 2 },
);
const changedHeader = fc.dictionary(
  fc.constantFrom('alg', 'kid', 'typ', 'crit', 'jwk', 'jku', 'x5u', 'b64', 'cty'),
  odd,
  { maxKeys: 2 },
);

// aws-jwt-verify has no clock of its own. With the machine's, a second could pass between verifiers.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
});
afterAll(() => {
  vi.useRealTimers();
});

describe('other verifiers', () => {
  it('accept the token that this one accepts', async () => {
    const token = signParts(ownKey, encodeJson(header), encodeJson(claims));
    expect(await Promise.all([ours(token), jose(token), aws(token)])).toEqual([true, true, true]);
  });

  it('accept every token that this one accepts: it is the strictest', async () => {
    await fc.assert(
      fc.asyncProperty(changedHeader, changedClaims, async (first, second) => {
        const token = signParts(
          ownKey,
          encodeJson({ ...header, ...first }),
          encodeJson({ ...claims, ...second }),
        );
        if (await ours(token)) {
          expect({ token, jose: await jose(token), aws: await aws(token) }).toEqual({
            token,
            jose: true,
            aws: true,
          });
        }
      }),
      { numRuns: 1500 },
    );
  });
});
