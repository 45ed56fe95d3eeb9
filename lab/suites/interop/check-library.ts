import type { webcrypto } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { Alg } from '../../../contract/signing-algorithms.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { trustVariables } from '../../support/runtimes.ts';
import { createTestKey, encodeJson, type TestKey } from '../../support/test-issuer.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import {
  type CacheOutcomes,
  checkCache,
  notMeasured,
  type Outcome,
  type WithVerifier,
} from './check-cache.ts';
import { audience, type InteropIssuer } from './issuer.ts';
import { type Library, matrixAlgs, type Open, typOf } from './libraries.ts';
import type { RunningVerifier } from './running-program.ts';

export interface Row extends CacheOutcomes {
  readonly library: Library;
  readonly byAlg: ReadonlyMap<Alg, Outcome>;
  readonly mlDsa: Outcome;
  /** What a service decided wrongly about a token that is bound to a key. */
  readonly wrongProof?: string | undefined;
}

/** The outcomes of a row, in the order of the table's columns after the algorithms. */
export function behaviourOf({ newKey, unknownKid, mlDsa }: Row): readonly Outcome[] {
  return [newKey, unknownKid, mlDsa];
}

interface Check {
  readonly library: Library;
  readonly open: Open;
  readonly issuer: InteropIssuer;
}

/** Runs `use` with a verifier of `alg`, and stops it. */
function verifierOf({ open, issuer }: Check, alg: Alg): WithVerifier {
  const { issuer: ISSUER, jwksUri: JWKS_URI, caPath } = issuer;
  const usual = { ISSUER, AUDIENCE: audience, JWKS_URI, ...trustVariables(caPath) };
  return async (use, variables = {}) => {
    const verifier = await open(alg, { ...usual, ...variables });
    try {
      return await use(verifier);
    } finally {
      await verifier.close();
    }
  };
}

function withoutSignature(token: string, header: object): string {
  return `${encodeJson({ ...header, alg: 'none' })}.${token.split('.')[1]}.`;
}

/** Tokens under the issuer's own key that only a check can refuse. */
function refusedTokens({ library, issuer }: Check, key: TestKey) {
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  const typ = typOf(library);
  const sign = (claims: object, header: object = {}) =>
    issuer.sign(key, claims, { typ, ...header });
  const another = { ...createTestKey(key.alg), kid: key.kid };
  return [
    ['another type', sign({}, { typ: typ === 'JWT' ? 'at+jwt' : 'JWT' }), 401],
    ['another audience', sign({ aud: 'https://other.example.com' }), 401],
    ['another issuer', sign({ iss: 'https://other.example.com' }), 401],
    ['expired', sign({ iat: hourAgo - 60, exp: hourAgo }), 401],
    ['another key', issuer.sign(another, {}, { typ }), 401],
    ['unsigned', withoutSignature(sign({}), { typ, kid: key.kid }), 401],
    ...(library.isService ? [['another scope', sign({ scope: 'calls:view' }), 403] as const] : []),
  ] as const;
}

/** @returns what a verifier accepted that it must refuse, or refused in the wrong way. */
async function findWrongAnswer(
  check: Check,
  key: TestKey,
  verifier: RunningVerifier,
): Promise<string | undefined> {
  const jwks = check.issuer.jwks();
  for (const [what, token, expected] of refusedTokens(check, key)) {
    const { ok, status = expected } = await verifier.ask({ token, jwks });
    if (ok) return `accepted a token: ${what}`;
    if (status !== expected) return `${what}: ${status} instead of ${expected}`;
  }
  return undefined;
}

/** A good token is accepted, and none that a verifier must refuse. */
async function checkAlg(check: Check, alg: Alg): Promise<Outcome> {
  const { library, issuer } = check;
  const key = createTestKey(alg);
  issuer.publish([key]);
  const withVerifier = verifierOf(check, alg);
  return withVerifier(async (verifier) => {
    const token = issuer.sign(key, {}, { typ: typOf(library) });
    const { ok, why = '' } = await verifier.ask({ token, jwks: issuer.jwks() });
    const isLacking = library.lacks.includes(alg);
    if (!ok && isLacking) return { text: 'no' };
    if (!ok) return { text: 'FAILED', problem: `${alg}: a good token was refused: ${why}` };
    if (isLacking) return { text: 'yes', problem: `${alg} works, and is listed as lacking` };
    const wrong = await findWrongAnswer(check, key, verifier);
    return wrong === undefined ? { text: 'yes' } : { text: 'FAILED', problem: `${alg}: ${wrong}` };
  });
}

/** Calls a service as a published client does that proves its key (RFC 9449). */
async function callWithProof(
  url: string,
  token: string,
  by: webcrypto.CryptoKeyPair,
): Promise<Response> {
  const options = { DPoP: oauth.DPoP({}, by), [oauth.allowInsecureRequests]: true };
  try {
    const address = new URL(url);
    return await oauth.protectedResourceRequest(token, 'GET', address, undefined, null, options);
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
    throw error;
  }
}

/** A token of a service, bound to a key or to none, as a published client gets it. */
async function getToken(service: LocalRun, by?: webcrypto.CryptoKeyPair): Promise<string> {
  const { issuer, tokenUrl, clientId, clientSecret } = service;
  const server = { issuer, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(clientSecret),
    {},
    { [oauth.allowInsecureRequests]: true, ...(by && { DPoP: oauth.DPoP({}, by) }) },
  );
  return (await oauth.processClientCredentialsResponse(server, client, response)).access_token;
}

/** With tokens that a local run's token endpoint bound. Without TLS, as Java trusts one store only. */
function findWrongProof(check: Check): Promise<string | undefined> {
  const options = { dpop: true, accessTokenType: typOf(check.library) };
  return withLocalService(options, (service) => findWrongProofOf(service, check));
}

async function findWrongProofOf(service: LocalRun, check: Check): Promise<string | undefined> {
  const holder = await oauth.generateKeyPair('ES256');
  const stranger = await oauth.generateKeyPair('ES256');
  const bound = await getToken(service, holder);
  const free = await getToken(service);
  const questions = [
    ['with its proof', 200, bound, holder],
    ['with a proof of another key', 401, bound, stranger],
    ['as a bearer token', 401, bound, undefined],
    ['that is not bound, with a proof', 401, free, holder],
  ] as const;
  const ask = async (verifier: RunningVerifier) => {
    for (const [what, expected, token, by] of questions) {
      const request = by && ((url: string) => callWithProof(url, token, by));
      const { status, why } = await verifier.ask({ token, jwks: '', ...(request && { request }) });
      if (status !== expected) return `a bound token ${what}: ${why}`;
    }
    return undefined;
  };
  return verifierOf(check, 'ES256')(ask, { ISSUER: service.issuer });
}

/** What a published ML-DSA key that signs nothing does to a verifier of RS256. */
async function checkMlDsa(check: Check): Promise<Outcome> {
  const { library, issuer } = check;
  const key = createTestKey('RS256');
  issuer.publish([createTestKey('ML-DSA-44'), key]);
  const withVerifier = verifierOf(check, 'RS256');
  return withVerifier(async (verifier) => {
    const token = issuer.sign(key, {}, { typ: typOf(library) });
    const { ok, why = '' } = await verifier.ask({ token, jwks: issuer.jwks() });
    const known = library.breaksWithMlDsa;
    if (ok && known === undefined) return { text: 'none' };
    if (ok) return { text: 'none', problem: 'an ML-DSA key does no harm, but is listed' };
    if (known !== undefined) return { text: `**refuses every token**: ${known}` };
    return { text: 'FAILED', problem: `an unused ML-DSA key breaks RS256: ${why}` };
  });
}

export async function checkLibrary(check: Check): Promise<Row> {
  const { library, issuer } = check;
  const byAlg = new Map<Alg, Outcome>();
  for (const alg of matrixAlgs) byAlg.set(alg, await checkAlg(check, alg));
  // The other columns are about RS256.
  if (library.lacks.includes('RS256')) {
    return { library, byAlg, newKey: notMeasured, unknownKid: notMeasured, mlDsa: notMeasured };
  }
  const wrongProof = library.isService ? await findWrongProof(check) : undefined;
  const mlDsa = await checkMlDsa(check);
  const caches = await checkCache(library, issuer, verifierOf(check, 'RS256'));
  return { library, byAlg, mlDsa, wrongProof, ...caches };
}
