import type { Alg } from '../../contract/signing-algorithms.ts';
import { audience, type InteropIssuer } from './issuer.ts';
import type { Library, Open } from './libraries.ts';
import type { RunningVerifier, Variables } from './verifier-process.ts';

export const matrixAlgs = ['RS256', 'PS256', 'ES256', 'ES384', 'ML-DSA-44'] as const;

/** What a library did, in words; `problem` if it did not do what it should. */
export interface Outcome {
  readonly text: string;
  readonly problem?: string;
}

export interface Row {
  readonly library: Library;
  readonly byAlg: ReadonlyMap<Alg, Outcome>;
  readonly cache: Outcome;
  readonly unknownKid: Outcome;
  readonly mlDsa: Outcome;
}

function variablesOf({ issuer, jwksUri, caPath }: InteropIssuer): Variables {
  return {
    ISSUER: issuer,
    AUDIENCE: audience,
    JWKS_URI: jwksUri,
    NODE_EXTRA_CA_CERTS: caPath,
    SSL_CERT_FILE: caPath,
    REQUESTS_CA_BUNDLE: caPath,
  };
}

async function withVerifier<T>(
  open: Open,
  alg: Alg,
  issuer: InteropIssuer,
  use: (verifier: RunningVerifier) => Promise<T>,
): Promise<T> {
  const verifier = await open(alg, variablesOf(issuer));
  try {
    return await use(verifier);
  } finally {
    await verifier.close();
  }
}

/** Tokens under the issuer's own key that only a check can refuse. */
function refusedTokens(issuer: InteropIssuer, key: ReturnType<InteropIssuer['createKey']>) {
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  return [
    ['typ JWT', issuer.sign(key, {}, { typ: 'JWT' })],
    ['another audience', issuer.sign(key, { aud: 'https://other.example.com' })],
    ['another issuer', issuer.sign(key, { iss: 'https://other.example.com' })],
    ['expired', issuer.sign(key, { iat: hourAgo - 60, exp: hourAgo })],
    ['another key', issuer.sign({ ...issuer.createKey(key.alg), kid: key.kid })],
  ] as const;
}

/** A good token is accepted, and none that a verifier must refuse. */
async function checkAlg(
  library: Library,
  open: Open,
  issuer: InteropIssuer,
  alg: Alg,
): Promise<Outcome> {
  const key = issuer.createKey(alg);
  issuer.publish([key]);
  return withVerifier(open, alg, issuer, async (verifier) => {
    const { ok, why = '' } = await verifier.ask(issuer.sign(key), issuer.jwks());
    const limit = library.limits?.[alg];
    if (!ok && limit !== undefined) return { text: `no: ${limit}` };
    if (!ok) return { text: 'FAILED', problem: `${alg}: a good token was refused: ${why}` };
    if (limit !== undefined) return { text: 'yes', problem: `${alg}: works, listed as ${limit}` };
    for (const [what, token] of refusedTokens(issuer, key)) {
      if (!(await verifier.ask(token, issuer.jwks())).ok) continue;
      return { text: 'FAILED', problem: `${alg}: accepted a token: ${what}` };
    }
    return { text: 'yes' };
  });
}

/** How many fetches some tokens cost, and whether a new key is found when its first token comes. */
async function checkCache(open: Open, issuer: InteropIssuer) {
  const [first, second] = [issuer.createKey('RS256'), issuer.createKey('RS256')];
  issuer.publish([first]);
  return withVerifier(open, 'RS256', issuer, async (verifier) => {
    await verifier.ask(issuer.sign(first), issuer.jwks());
    issuer.takeFetches();
    for (let count = 0; count < 10; count += 1) {
      await verifier.ask(issuer.sign(first), issuer.jwks());
    }
    const fetches = issuer.takeFetches();
    issuer.publish([first, second]);
    const { ok } = await verifier.ask(issuer.sign(second), issuer.jwks());
    return {
      cache: { text: fetches === 0 ? 'keeps the set' : `${fetches} fetches for 10 tokens` },
      unknownKid: {
        text: ok ? 'fetches at once' : 'not at once: within its cooldown or cache time',
      },
    };
  });
}

/** What a published ML-DSA key that signs nothing does to a verifier of RS256. */
async function checkMlDsa(library: Library, open: Open, issuer: InteropIssuer): Promise<Outcome> {
  const key = issuer.createKey('RS256');
  issuer.publish([issuer.createKey('ML-DSA-44'), key]);
  return withVerifier(open, 'RS256', issuer, async (verifier) => {
    const { ok, why = '' } = await verifier.ask(issuer.sign(key), issuer.jwks());
    const known = library.breaksWithMlDsa;
    if (ok && known === undefined) return { text: 'none' };
    if (ok) return { text: 'none', problem: 'an ML-DSA key does no harm, but is listed' };
    if (known !== undefined) return { text: `**refuses every token**: ${known}` };
    return { text: 'FAILED', problem: `an unused ML-DSA key breaks RS256: ${why}` };
  });
}

export async function checkLibrary(
  library: Library,
  open: Open,
  issuer: InteropIssuer,
): Promise<Row> {
  const byAlg = new Map<Alg, Outcome>();
  for (const alg of matrixAlgs) byAlg.set(alg, await checkAlg(library, open, issuer, alg));
  const mlDsa = await checkMlDsa(library, open, issuer);
  return { library, byAlg, mlDsa, ...(await checkCache(open, issuer)) };
}
