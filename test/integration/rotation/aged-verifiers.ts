import { JwtVerifier } from 'aws-jwt-verify';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { LocalRun } from '../../../lab/local/start-local.ts';

/** Throws if it does not accept a token. */
export interface Verifier {
  readonly name: string;
  readonly verify: (token: string) => Promise<unknown>;
}

const audience = 'https://api.example.com';

function joseOptions(service: LocalRun) {
  return { issuer: service.issuer, audience, typ: 'at+jwt' };
}

/**
 * The most stubborn verifier that is supported: it keeps its JWKS for the whole time and never
 * asks again because of a kid that it does not know.
 */
function createStubbornVerifier(service: LocalRun, maxAge: number): Verifier {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let keySet: Promise<ReturnType<typeof createLocalJWKSet>> | undefined;
  const fetchKeySet = async () => {
    const response = await fetch(service.jwksUri);
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  };
  return {
    name: `jose, JWKS up to ${maxAge} ms old`,
    verify: async (token) => {
      if (Date.now() - fetchedAt >= maxAge) {
        fetchedAt = Date.now();
        keySet = fetchKeySet();
      }
      return jwtVerify(token, (await keySet) ?? (await fetchKeySet()), joseOptions(service));
    },
  };
}

/** jose's own cache, held back from asking again for as long as a verifier may be. */
function createRemoteVerifier(service: LocalRun, maxAge: number): Verifier {
  const keySet = createRemoteJWKSet(new URL(service.jwksUri), {
    cacheMaxAge: maxAge,
    cooldownDuration: maxAge,
  });
  return {
    name: `jose, remote JWKS up to ${maxAge} ms old`,
    verify: (token) => jwtVerify(token, keySet, joseOptions(service)),
  };
}

/** aws-jwt-verify keeps what it has for ever and asks for what it has not. */
function createAwsVerifier(service: LocalRun, index: number): Verifier {
  const verifier = JwtVerifier.create({
    issuer: service.issuer,
    audience,
    jwksUri: service.jwksUri,
  });
  return { name: `aws-jwt-verify ${index}`, verify: (token) => verifier.verify(token) };
}

/**
 * A dozen verifiers whose caches are of every age that is supported.
 *
 * @param verifierCache C, in seconds.
 */
export function createVerifiers(service: LocalRun, verifierCache: number): readonly Verifier[] {
  const longest = verifierCache * 1000;
  const ages = [0.17, 0.31, 0.53, 0.71, 0.89, 1].map((part) => Math.round(part * longest));
  return [
    ...ages.map((age) => createStubbornVerifier(service, age)),
    ...[0.4, 0.8, 1].map((part) => createRemoteVerifier(service, Math.round(part * longest))),
    ...[1, 2, 3].map((index) => createAwsVerifier(service, index)),
  ];
}
