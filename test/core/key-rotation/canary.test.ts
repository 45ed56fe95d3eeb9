import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Alg } from '../../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import {
  canaryAudience,
  canaryIssuer,
  checkKey,
  regionsInService,
} from '../../../core/key-rotation/canary.ts';
import { describeCanaryRun } from '../../../core/key-rotation/canary-run.ts';
import type { Sign } from '../../../core/signing-key/sign-jws.ts';
import { signAs } from '../../../lab/support/key-pairs.ts';
import {
  createTestKey,
  encodeJson,
  signParts,
  type TestKey,
} from '../../../lab/support/test-issuer.ts';
import { createWorld, issuer, now, reasonOf } from '../../../lab/support/verifier-world.ts';
import { signingKey } from '../../support/rotation-keys.ts';

const pair = createTestKey('ES256');
const other = createTestKey('ES256');
const values = { now, jti: 'random' };

function recordOf({ kid, alg, jwk }: TestKey) {
  return signingKey(kid, { alg, publicJwk: jwk, state: 'next' });
}

const signWith =
  (key: TestKey): Sign =>
  async ({ alg }, input) =>
    signAs(alg, key.privateKey, input);

const jwksOf = (...keys: readonly TestKey[]) => ({ keys: keys.map(({ jwk }) => jwk) });

const metadataOf = (...listed: readonly unknown[]) => ({
  id_token_signing_alg_values_supported: listed,
});

const answerWith = (served: unknown) => () =>
  served instanceof Error ? Promise.reject(served) : Promise.resolve(served);

/** Checks the key in one region that serves these documents, or throws them. */
async function check(
  served: unknown,
  sign: Sign = signWith(pair),
  metadata: unknown = metadataOf('RS256', 'ES256'),
) {
  const ports = { sign, fetchJwks: answerWith(served), fetchMetadata: answerWith(metadata) };
  const [finding] = await checkKey(recordOf(pair), ['dfw'], ports, values);
  return finding;
}

describe('the canary of a key', () => {
  it.each<Alg>(['RS256', 'PS256', 'ES256', 'ES384', 'ML-DSA-44', 'ML-DSA-65'])(
    'verifies a token of %s through the JWKS that a region serves',
    async (alg) => {
      const key = createTestKey(alg);
      const ports = {
        sign: signWith(key),
        fetchJwks: async () => jwksOf(other, key),
        fetchMetadata: async () => metadataOf(alg),
      };
      const findings = await checkKey(recordOf(key), ['slc', 'dfw'], ports, values);
      expect(findings).toEqual([
        { kid: key.kid, region: 'slc', ok: true },
        { kid: key.kid, region: 'dfw', ok: true },
      ]);
    },
  );

  const impostor = { ...other.jwk, kid: pair.kid };
  const refuses: Sign = () => Promise.reject(new SigningKeyUnusableError('it is disabled'));
  const silent: Sign = () => Promise.reject(new UnavailableError('throttled'));
  it.each<[string, unknown, Sign | undefined, string]>([
    ['a JWKS lacks the key', jwksOf(other), undefined, 'absent'],
    ['a JWKS is empty', { keys: [] }, undefined, 'absent'],
    ['a region does not answer', new UnavailableError('timeout'), undefined, 'unreachable'],
    ['an answer is no JWKS', { message: 'hello' }, undefined, 'not_verified'],
    ['the kid is that of another key', { keys: [impostor] }, undefined, 'not_verified'],
    ['the kid occurs twice', { keys: [pair.jwk, impostor] }, undefined, 'not_verified'],
    ['KMS refuses', jwksOf(pair), refuses, 'not_signed'],
    ['KMS does not answer', jwksOf(pair), silent, 'not_signed'],
    ['KMS signs with another key', jwksOf(pair), signWith(other), 'not_signed'],
  ])('fails when %s', async (_, served, sign, problem) => {
    expect(await check(served, sign)).toMatchObject({ region: 'dfw', ok: false, problem });
  });
});

describe('the discovery document of a region', () => {
  it.each<[string, unknown, object]>([
    [
      'lists other algorithms',
      metadataOf('RS256', 'PS256'),
      { problem: 'not_listed', reason: 'its discovery document lists RS256, PS256, not ES256' },
    ],
    [
      'lists none',
      metadataOf(),
      { problem: 'not_listed', reason: 'its discovery document lists no algorithm, not ES256' },
    ],
    ['is none', { message: 'hello' }, { problem: 'not_listed' }],
    ['does not come', new UnavailableError('timeout'), { problem: 'unreachable' }],
  ])('fails the key when it %s', async (_, metadata, finding) => {
    expect(await check(jwksOf(pair), undefined, metadata)).toMatchObject({
      region: 'dfw',
      ok: false,
      ...finding,
    });
  });
});

describe('a canary token', () => {
  /** What the canary had KMS sign, as a whole token. */
  async function takeToken(): Promise<string> {
    let input = '';
    await check(jwksOf(pair), async (key, bytes) => {
      input = Buffer.from(bytes).toString();
      return signAs(key.alg, pair.privateKey, bytes);
    });
    const [header = '', payload = ''] = input.split('.');
    return signParts(pair, header, payload);
  }

  it('is refused by the verifier of this service', async () => {
    const world = createWorld();
    world.jwks.set(issuer, [pair]);
    expect(await reasonOf(world.verify(`Bearer ${await takeToken()}`))).toBe('issuer_unknown');
  });

  it('is refused by a verifier that checks only the time', async () => {
    const token = await takeToken();
    const currentDate = new Date(now * 1000);
    await expect(jwtVerify(token, pair.publicKey, { currentDate })).rejects.toMatchObject({
      code: 'ERR_JWT_EXPIRED',
    });
  });

  it.each([
    ['the type', { typ: 'at+jwt' }],
    ['the issuer', { issuer }],
    ['the audience', { audience: 'https://api.example.com' }],
  ])('is refused by one that checks only %s', async (_, options) => {
    // As if the clock stood at the time when the token was valid.
    const currentDate = new Date((now - 2 * 86_400) * 1000);
    const token = await takeToken();
    await expect(
      jwtVerify(token, pair.publicKey, { currentDate, ...options }),
    ).rejects.toMatchObject({ code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' });
  });

  it('says nothing but what it is', async () => {
    const [header = '', payload = ''] = (await takeToken()).split('.');
    const kid = pair.kid;
    expect(header).toBe(encodeJson({ alg: 'ES256', typ: 'signing-key-canary+jwt', kid }));
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      iss: canaryIssuer,
      sub: kid,
      aud: canaryAudience,
      jti: 'random',
      iat: now - 172_800,
      exp: now - 86_400,
    });
  });
});

describe('the regions in service', () => {
  const silence = 1_800;
  const heartbeats = [
    { regionId: 'slc', at: 10_000 },
    { regionId: 'dfw', at: 0 },
  ] as const;

  it.each([
    ['every region of the config that has run', ['slc', 'dfw', 'pit'], heartbeats, ['slc', 'dfw']],
    ['without one that left the config and stopped', ['slc', 'pit'], heartbeats, ['slc']],
    ['with the own before it has run', ['slc', 'dfw'], [], ['slc']],
    [
      'with one that runs and that the own copy of the config does not name',
      ['slc'],
      [...heartbeats, { regionId: 'pit', at: 10_000 - silence + 1 }],
      ['slc', 'pit'],
    ],
    [
      'without one that the config does not name and that has been silent for so long',
      ['slc'],
      [...heartbeats, { regionId: 'pit', at: 10_000 - silence }],
      ['slc'],
    ],
  ] as const)('are %s', (_, configured, beats, expected) => {
    const check = { own: 'slc', configured, heartbeats: beats, silence } as const;
    expect(regionsInService(check)).toEqual(expected);
  });
});

describe('the last run of a canary in words', () => {
  const older = '10m 1s ago (older than expected)';
  it.each([
    [{ at: now + 5 }, '0s ago: self-test passed\ncanary passed', true, false],
    [
      { at: now - 600, selfTestProblem: 'a' },
      '10m ago: self-test failed: a\ncanary passed',
      false,
      true,
    ],
    [
      { at: now - 601, selfTestProblem: 'a' },
      `${older}: self-test failed: a\ncanary passed`,
      false,
      false,
    ],
    [{ at: now, problem: 'b' }, '0s ago: self-test passed\ncanary failed: b', false, false],
  ])('of %o is "%s"', (run, text, isGood, failsToSign) => {
    const runs = [{ regionId: 'pit', at: 1 } as const, { regionId: 'slc', ...run } as const];
    expect(describeCanaryRun(runs, 'slc', now)).toEqual({ text, isGood, failsToSign });
  });
});
