import { createVerifierKeys } from '../adapters/https/fetch-key-set.ts';
import {
  type RevocationOptions,
  readRevocationOptions,
  reportWithoutLookup,
} from '../adapters/revocation-options.ts';
import {
  type AccessTokenType,
  accessTokenTypes,
  defaultAccessTokenType,
  isAccessTokenType,
} from '../contract/access-token-type.ts';
import { defaultBearerRealm, formatBearerChallenge } from '../contract/bearer-challenge.ts';
import { tokenMemoryMegabytes } from '../contract/bounds.ts';
import { findIssuerProblem } from '../contract/issuer-form.ts';
import { isOrigin, isProofAlg, type ProofAlg, proofAlgs } from '../contract/proof-algorithms.ts';
import {
  type ResourceMetadata,
  resourceHelp,
  resourceMetadata,
} from '../contract/resource-metadata.ts';
import { jwksPath } from '../contract/routes.ts';
import type { ApiKeyReader } from '../core/api-key/api-key.ts';
import type { ClientLookup } from '../core/client/client.ts';
import { InputError, refuseOption } from '../core/errors.ts';
import type { IdentityProviderReader } from '../core/identity-provider/identity-provider.ts';
import { type Clock, seconds } from '../core/time.ts';
import { ownJwksSource } from '../core/verifier/access-token.ts';
import { type BearerErrorResponse, bearerErrorResponse } from '../core/verifier/challenge.ts';
import type { ProofTarget } from '../core/verifier/dpop-proof.ts';
import { ProofMemory, ProofNonces } from '../core/verifier/proof-memory.ts';
import type { VerifiedCredential } from '../core/verifier/verified-credential.ts';
import { VerifiedTokens } from '../core/verifier/verified-tokens.ts';
import {
  type BearerRequest,
  type VerifierSettings,
  verifyBearer,
} from '../core/verifier/verify-bearer.ts';

export type { RevocationOptions } from '../adapters/revocation-options.ts';
export type { ResourceMetadata } from '../contract/resource-metadata.ts';
export { UnavailableError } from '../core/errors.ts';
export { BearerRefusal, type RefusalReason } from '../core/verifier/bearer-refusal.ts';
export type { BearerErrorResponse } from '../core/verifier/challenge.ts';
export type {
  VerifiedAccessToken,
  VerifiedApiKey,
  VerifiedCredential,
} from '../core/verifier/verified-credential.ts';
export { authorizationOf, type ReceivedRequest } from './received-authorization.ts';

/** Look-ups by which tokens of registered identity providers are accepted. */
export interface ProviderLookups {
  readonly identityProviders: IdentityProviderReader;
  /** Looks up clients under a provider. */
  readonly clients: ClientLookup;
}

/** Whose credentials a verifier accepts. */
export interface VerifierOptions {
  /** The authorization server, exactly as in `iss` and in its discovery document. */
  readonly issuer: string;
  /** The values of `aud` that your API accepts (RFC 7519 §4.1.3). */
  readonly audience: string | readonly string[];
  /** The location of the issuer's keys. The default is `{issuer}/.well-known/jwks.json`. */
  readonly jwksUri?: string | undefined;
  /** Looks up API keys. Without it, every API key is refused. */
  readonly apiKeys?: ApiKeyReader | undefined;
  /** Looks up identity providers. Without it, all of their tokens are refused. */
  readonly providers?: ProviderLookups | undefined;
  /**
   * Looks up the client of each token of this service, and refuses tokens of disabled or deleted
   * clients and revoked tokens. Without it there is no look-up: they stay valid until they expire.
   */
  readonly revocation?: RevocationOptions | undefined;
  /**
   * The deployment's default audience, for clients without one. The default is your first audience.
   */
  readonly defaultAudience?: string | undefined;
  /**
   * `accessTokenType` of the deployment's config. `JWT` accepts both types.
   *
   * @default at+jwt
   */
  readonly accessTokenType?: AccessTokenType | undefined;
  /** Protection space of the challenges (RFC 9110 §11.5). */
  readonly realm?: string | undefined;
  /**
   * The URL of your API: one of `audience`, with https. Challenges then name its metadata
   * (RFC 9728), which `resourceMetadata()` of the middleware serves, so that a client finds the
   * authorization server by itself.
   *
   * @default no metadata
   */
  readonly resource?: string | undefined;
  /**
   * Scopes that the metadata of {@link resource} names, for clients that know none: some ask for
   * every scope of the authorization server otherwise, and are refused.
   */
  readonly resourceScopes?: readonly string[] | undefined;
  /** Providers on loopback, over https even so. Only for a local run and tests. */
  readonly allowLoopbackProviders?: boolean | undefined;
  /** Certificates to trust for key sets in addition to those of Node, PEM. */
  readonly ca?: string | undefined;
  /**
   * Megabytes of verified tokens whose signature is not verified again, 0 to 64. Each use still
   * checks everything that can change: the issuer's keys, times, audience, scopes, provider and
   * client. The tokens themselves are not stored.
   *
   * @default 4, about 4,000 tokens; with 0 each signature is verified each time
   */
  readonly tokenMemory?: number | undefined;
  /** Checks DPoP proofs (RFC 9449). Without it, tokens that are bound to a key are refused. */
  readonly dpop?: DpopOptions | undefined;
  /** Milliseconds since the epoch. The default is the host's clock. */
  readonly clock?: Clock | undefined;
}

/** How proofs are checked. */
export interface DpopOptions {
  /**
   * The origins of your API as its clients see them, e.g. `https://api.example.com`: every name, also
   * regional ones. The `Host` of a request is never used.
   */
  readonly origins: readonly string[];
  /** Whether access tokens that are not bound to a key are refused. API keys are still accepted. */
  readonly required?: boolean | undefined;
  /**
   * `alg` values of proofs.
   *
   * @default ES256, ES384, Ed25519, EdDSA, PS256, RS256, RS384
   */
  readonly algorithms?: readonly ProofAlg[] | undefined;
  /**
   * 32 random bytes or more that all processes of your API share. Proofs then need a nonce of your
   * API, so none can be made in advance. A client needs one more request every five minutes.
   */
  readonly nonceKey?: Uint8Array | undefined;
}

/** The parts of a request that the decision depends on. */
export interface VerifierRequest {
  /**
   * Each `Authorization` header: `authorizationOf(request)` in Node. A string means one header.
   */
  readonly authorization: string | readonly string[] | undefined;
  /**
   * Address of the TCP peer, or of the last hop that you trust; never one that a client can
   * write, such as the first of `X-Forwarded-For`. API keys with a list need it.
   */
  readonly sourceAddress?: string | undefined;
  /** Each `DPoP` header: `proofsOf(request)` in Node. Bound tokens need it, and the next two. */
  readonly proofs?: readonly string[] | undefined;
  readonly method?: string | undefined;
  /** The request target as the client sent it: a path and perhaps a query, or a whole URL. */
  readonly target?: string | undefined;
  /** Aborts look-ups when your request's deadline passes. */
  readonly signal?: AbortSignal | undefined;
}

/** Decides whether a request has an accepted credential. */
export interface Verifier {
  /**
   * Verifies the bearer credential of a request: an access token of the issuer (RFC 9068 §4), one
   * of a registered identity provider, or an API key.
   *
   * @param requiredScopes all of them are needed, e.g. `['messaging:view']`; may be empty. An API
   *   key without scopes of its own satisfies every scope.
   * @returns the caller. It never returns for a credential that is not accepted.
   * @throws {BearerRefusal} if the credential is refused: status 400, 401 or 403
   *   (RFC 6750 §3.1).
   * @throws {UnavailableError} if keys or records cannot be read, so there is no decision: answer
   * 503, and give no access.
   */
  verify(request: VerifierRequest, requiredScopes?: readonly string[]): Promise<VerifiedCredential>;
  /**
   * The response to an error that {@link verify} threw, with its challenge (RFC 6750 §3): 400, 401,
   * 403 or 503; 500 for an error of any other kind.
   */
  toResponse(error: unknown): BearerErrorResponse;
  /** Fetches the issuer's keys ahead of the first request. Never fails: the first request tries again. */
  preload(): Promise<void>;
  /** What to serve at its `path`, if {@link VerifierOptions.resource} is set. */
  readonly resourceMetadata?: ResourceMetadata | undefined;
}

function toList(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? []);
}

function readAccessTokenType(type: unknown = defaultAccessTokenType): AccessTokenType {
  if (isAccessTokenType(type)) return type;
  return refuseOption('accessTokenType', type, accessTokenTypes.join(' or '));
}

/** A missing check must fail at once, not accept more tokens. */
function readSettings(options: VerifierOptions): VerifierSettings {
  const { issuer } = options;
  const audiences = toList(options.audience);
  const [first] = audiences;
  const problem = findIssuerProblem(issuer);
  if (problem !== undefined) refuseOption('issuer', issuer, problem);
  if (first === undefined || audiences.some((value) => typeof value !== 'string' || value === '')) {
    refuseOption('audience', options.audience, 'one text or more, each not empty');
  }
  return {
    issuer,
    jwksUri: options.jwksUri ?? `${issuer}${jwksPath}`,
    audiences,
    defaultAudience: options.defaultAudience ?? first,
    accessTokenType: readAccessTokenType(options.accessTokenType),
  };
}

function openTokenMemory(megabytes: number = tokenMemoryMegabytes.default) {
  if (!(megabytes >= 0 && megabytes <= tokenMemoryMegabytes.max)) {
    refuseOption('tokenMemory', megabytes, `0 to ${tokenMemoryMegabytes.max} megabytes`);
  }
  return megabytes === 0 ? undefined : new VerifiedTokens(megabytes * 1e6);
}

function readResource(
  { resource, resourceScopes: scopes }: VerifierOptions,
  { issuer, audiences }: VerifierSettings,
  dpop: ProofSettings,
): ResourceMetadata | undefined {
  if (resource === undefined) return undefined;
  const proofs = dpop && { algorithms: dpop.algorithms, required: dpop.required };
  const metadata = resourceMetadata(resource, issuer, audiences, { scopes, proofs });
  return metadata ?? refuseOption('resource', resource, resourceHelp);
}

type ProofSettings = ReturnType<typeof readProofSettings>;

/** Bytes of a nonce's key. */
const leastNonceKey = 32;

function readProofSettings({ dpop }: VerifierOptions) {
  if (dpop === undefined) return undefined;
  const { origins, required = false, algorithms = proofAlgs, nonceKey } = dpop;
  const wrong = origins.find((one) => !isOrigin(one));
  if (origins.length === 0 || wrong !== undefined) {
    const allowed = 'one origin or more, e.g. "https://api.example.com"';
    refuseOption('dpop.origins', wrong ?? origins, allowed);
  }
  const unknown = algorithms.find((alg) => !isProofAlg(alg));
  if (algorithms.length === 0 || unknown !== undefined) {
    refuseOption(
      'dpop.algorithms',
      unknown ?? algorithms,
      `one or more of ${proofAlgs.join(', ')}`,
    );
  }
  if (nonceKey !== undefined && !(nonceKey.length >= leastNonceKey)) {
    const problem = `received ${nonceKey.length} bytes; allowed: ${leastNonceKey} random bytes or more`;
    throw new InputError(`dpop.nonceKey: ${problem}`);
  }
  return { origins, required, algorithms, nonces: nonceKey && new ProofNonces(nonceKey) };
}

/** A request's URL under each name of the API: its path is the caller's, its host never is. */
function proofTargetOf(
  { proofs = [], method, target }: VerifierRequest,
  origins: readonly string[],
): ProofTarget | undefined {
  if (method === undefined || target === undefined) return undefined;
  const path = target.startsWith('/') ? target : (URL.parse(target)?.pathname ?? '/');
  const [pathname = '/'] = path.split('?', 1);
  return { proofs, method, urls: origins.map((origin) => origin + pathname) };
}

type Asked = Pick<BearerRequest, 'requiredScopes' | 'now' | 'readTarget'>;

/**
 * Its getters are read only when they are needed: a timer costs more than verifying the claims. They
 * are of a class, because an object that has getters of its own takes microseconds to make.
 */
class SentRequest implements BearerRequest {
  readonly #request: VerifierRequest;
  readonly authorization: readonly string[];
  readonly requiredScopes: readonly string[];
  readonly now: number;
  readonly readTarget: BearerRequest['readTarget'];

  constructor(request: VerifierRequest, { requiredScopes, now, readTarget }: Asked) {
    this.#request = request;
    this.authorization = toList(request.authorization);
    this.requiredScopes = requiredScopes;
    this.now = now;
    this.readTarget = readTarget;
  }

  get sourceAddress(): string | undefined {
    return this.#request.sourceAddress;
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}

/**
 * Creates a verifier for a service that accepts bearer credentials. Create one and reuse it: it
 * caches the keys of each issuer, refreshes them, and uses the last good keys for a day when an
 * issuer does not answer.
 *
 * @throws {InputError} for an option that cannot be used.
 *
 * @example
 * const verifier = createVerifier({ issuer, audience: 'https://api.example.com' });
 * const { serviceTrunkGroup } = await verifier.verify({ authorization }, ['messaging:view']);
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const dpop = readProofSettings(options);
  const settings = { ...readSettings(options), requireProof: dpop?.required };
  const { apiKeys, providers, realm = defaultBearerRealm, clock = Date.now } = options;
  // If no header can carry the realm, fail now and not at the first refusal.
  formatBearerChallenge({ realm });
  const metadata = readResource(options, settings, dpop);
  const now = (): number => seconds(clock());
  const nonces = dpop?.nonces;
  const api = {
    realm,
    resourceMetadata: metadata?.url,
    proofAlgs: dpop?.algorithms.join(' '),
    makeNonce: nonces && (() => nonces.make(now())),
  };
  const jwks = createVerifierKeys(
    { ...settings, ca: options.ca },
    { allowLoopback: options.allowLoopbackProviders },
    { clock, identityProviders: providers?.identityProviders },
  );
  const verifiedTokens = openTokenMemory(options.tokenMemory);
  const revocation = options.revocation && readRevocationOptions(options.revocation);
  const report = reportWithoutLookup(options.revocation);
  const proofs = dpop && { memory: new ProofMemory(dpop.nonces), algorithms: dpop.algorithms };
  const ports = { jwks, apiKeys, verifiedTokens, revocation, proofs, ...providers };
  return {
    verify(request, requiredScopes = []) {
      const readTarget = dpop && (() => proofTargetOf(request, dpop.origins));
      const sent = new SentRequest(request, { requiredScopes, now: now(), readTarget });
      const verifying = verifyBearer(sent, ports, settings);
      return report === undefined ? verifying : verifying.then(report);
    },
    toResponse: (error) => bearerErrorResponse(error, api),
    resourceMetadata: metadata,
    async preload() {
      await jwks.refresh(ownJwksSource(settings));
    },
  };
}
