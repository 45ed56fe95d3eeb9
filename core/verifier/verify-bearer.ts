import { maxTokenBytes } from '../../contract/bounds.ts';
import type { ApiKeyReader } from '../api-key/api-key.ts';
import type { ClientLookup } from '../client/client.ts';
import { isApiKeyShaped } from '../credential/credential-value.ts';
import { MalformedRecordError } from '../errors.ts';
import type {
  IdentityProvider,
  IdentityProviderReader,
} from '../identity-provider/identity-provider.ts';
import { isProviderUrlText } from '../identity-provider/provider-url.ts';
import type { PortOptions, TimedPortOptions } from '../port.ts';
import { type OwnTokenSettings, verifyOwnToken } from './access-token.ts';
import { verifyApiKey } from './api-key-credential.ts';
import { BearerRefusal, refuseBearer, refuseFor, refuseLength } from './bearer-refusal.ts';
import { type ProofRules, type ProofTarget, verifyProof } from './dpop-proof.ts';
import type { KeyFinder } from './jwks-cache.ts';
import { checkProvider } from './provider-client.ts';
import { type ProviderTokenSettings, verifyProviderToken } from './provider-token.ts';
import { readToken } from './received-token.ts';
import type { RevocationCheck } from './revocation-check.ts';
import type { VerifiedAccessToken, VerifiedCredential } from './verified-credential.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

/** RFC 9110 §11.1: the scheme's name is case-insensitive. */
const knownScheme = /^(bearer|dpop)(?: |$)/i;

/** RFC 6750 §2.1: `credentials = "Bearer" 1*SP b64token`; RFC 9449 §7.1 has the same for DPoP. */
const credentials = /^(?:bearer|dpop) +([A-Za-z0-9._~+/-]+=*)$/i;

/** The scheme and a generous number of spaces before the longest token. */
const maxAuthorizationLength = 'Bearer'.length + 16 + maxTokenBytes;

/** A credential as it was sent. */
interface SentCredential {
  readonly value: string;
  /** Whether it came with the scheme DPoP. */
  readonly isWithProof: boolean;
}

/**
 * Reads the credential of a request (RFC 6750 §2.1, RFC 9449 §7.1). Only the `Authorization`
 * header is read: a token in the query or in a form is ignored.
 *
 * @param values each `Authorization` header of the request.
 * @throws {BearerRefusal} if there is no credential, more than one, or a malformed one.
 */
function readBearerCredential(values: readonly string[]): SentCredential {
  const [value, ...others] = values;
  if (value === undefined) throw new BearerRefusal('no_credential');
  if (others.length > 0) throw new BearerRefusal('authorization_repeated');
  if (value.length > maxAuthorizationLength) {
    throw refuseLength(value.length, maxAuthorizationLength);
  }
  // Another scheme is a request "using an unsupported authentication method" (RFC 6750 §3.1).
  const scheme = knownScheme.exec(value)?.[1];
  if (scheme === undefined) throw new BearerRefusal('no_credential');
  const credential = credentials.exec(value)?.[1];
  if (credential === undefined) throw new BearerRefusal('authorization_malformed');
  return { value: credential, isWithProof: scheme.length === 'dpop'.length };
}

/**
 * Requires every one of some scopes. Scopes are compared whole (RFC 6749 §3.3): `read:all` is not
 * in `read:all2`. An API key without a list of its own satisfies every scope.
 *
 * @throws {BearerRefusal} with the scopes that the request requires.
 */
export function requireScopes(verified: VerifiedCredential, required: readonly string[]): void {
  const { scopes, serviceTrunkGroup } = verified;
  if (scopes === undefined || required.every((scope) => scopes.includes(scope))) return;
  const finding = () => ({
    name: 'scope',
    received: scopes.join(' '),
    expected: required.join(' '),
    serviceTrunkGroup,
  });
  if (verified.credential === 'api_key') {
    const facts = { keyId: verified.keyId, requiredScopes: required };
    throw refuseBearer('api_key_scope_missing', finding, facts);
  }
  throw refuseBearer('insufficient_scope', finding, {
    clientId: verified.clientId,
    issuer: verified.issuer,
    ...(verified.tokenId === undefined ? {} : { tokenId: verified.tokenId }),
    requiredScopes: required,
  });
}

/** The parts of a request that the decision depends on. */
export interface BearerRequest extends TimedPortOptions {
  /** The value of each `Authorization` header. */
  readonly authorization: readonly string[];
  /** Source address of the connection, never one that the request itself claims. */
  readonly sourceAddress: string | undefined;
  /** Scopes that the request requires, all of them; may be empty. */
  readonly requiredScopes: readonly string[];
  /** What a proof must be about, for a bound token. Undefined: none can be checked. */
  readonly readTarget?: (() => ProofTarget | undefined) | undefined;
}

export interface VerifierPorts {
  /** Keys of this service and of the registered providers. */
  readonly jwks: KeyFinder;
  /** Without them no API key is accepted. */
  readonly apiKeys?: ApiKeyReader | undefined;
  /** Without both, no token of another issuer is accepted. */
  readonly identityProviders?: IdentityProviderReader | undefined;
  readonly clients?: ClientLookup | undefined;
  /** Without it the clients of this service's own tokens are not looked up. */
  readonly revocation?: RevocationCheck | undefined;
  /** Without it each signature is verified each time. */
  readonly verifiedTokens?: VerifiedTokens | undefined;
  /**
   * Without it every token that is bound to a key is refused. `assumed` is for an explanation: there
   * is a token and no request, so its proof is taken as given.
   */
  readonly proofs?: ProofRules | 'assumed' | undefined;
}

export type VerifierSettings = OwnTokenSettings &
  ProviderTokenSettings & {
    /** Whether access tokens must be bound to a key. API keys are not tokens. */
    readonly requireProof?: boolean | undefined;
  };

function refuseIssuer(received: unknown, ownIssuer: string): BearerRefusal {
  const expected = `${ownIssuer}, or the issuer of a registered provider, character by character`;
  return refuseFor('issuer_unknown', 'iss', received, expected);
}

/** The issuer is looked up before anything is fetched. An invalid issuer is not looked up. */
async function getProvider(
  issuer: unknown,
  ports: VerifierPorts,
  ownIssuer: string,
  options: PortOptions,
): Promise<IdentityProvider> {
  if (typeof issuer !== 'string' || !isProviderUrlText(issuer)) {
    throw refuseIssuer(issuer, ownIssuer);
  }
  const provider = await ports.identityProviders?.findIdentityProvider(issuer, options);
  if (provider?.issuer !== issuer) throw refuseIssuer(issuer, ownIssuer);
  return checkProvider(provider);
}

async function verifyAccessToken(
  token: string,
  ports: VerifierPorts,
  settings: VerifierSettings,
  options: TimedPortOptions,
): Promise<VerifiedAccessToken> {
  const received = readToken(token, ports.verifiedTokens);
  const { iss } = received.payload;
  if (iss === settings.issuer) return verifyOwnToken(received, ports, settings, options);
  const { clients, jwks } = ports;
  if (clients === undefined) throw refuseIssuer(iss, settings.issuer);
  const provider = await getProvider(iss, ports, settings.issuer, options);
  return verifyProviderToken({ received, provider }, { clients, jwks }, settings, options);
}

/** RFC 9449 §7.1, §7.2: a bound token is refused as a bearer token, and the reverse. */
function checkBinding(
  token: VerifiedAccessToken,
  { value, isWithProof }: SentCredential,
  request: BearerRequest,
  { proofs }: VerifierPorts,
): void {
  const { boundTo } = token;
  if (proofs === 'assumed') return;
  if (boundTo === undefined) {
    if (isWithProof) throw new BearerRefusal('token_not_bound');
    return;
  }
  if (!isWithProof) throw new BearerRefusal('token_bound');
  const target = request.readTarget?.();
  if (proofs === undefined || target === undefined) throw new BearerRefusal('proof_not_checkable');
  verifyProof(target, { holder: token, token: { value, boundTo } }, proofs, request.now);
}

async function verifyCredential(
  request: BearerRequest,
  ports: VerifierPorts,
  settings: VerifierSettings,
): Promise<VerifiedCredential> {
  const sent = readBearerCredential(request.authorization);
  const { value, isWithProof } = sent;
  if (isWithProof && ports.proofs === undefined) throw new BearerRefusal('proof_not_checkable');
  if (!isApiKeyShaped(value)) {
    const token = await verifyAccessToken(value, ports, settings, request);
    checkBinding(token, sent, request, ports);
    if (settings.requireProof === true && token.boundTo === undefined) {
      throw new BearerRefusal('token_binding_required');
    }
    return token;
  }
  if (isWithProof) throw new BearerRefusal('token_not_bound');
  if (ports.apiKeys === undefined) {
    const expected = 'an access token: this verifier has no look-ups of API keys (apiKeys)';
    throw refuseFor('api_key_not_accepted', 'credential', 'an API key', expected);
  }
  return verifyApiKey(value, request.sourceAddress, ports.apiKeys, request);
}

/**
 * Decides whether a request's bearer credential is good, and good for what the request requires:
 * an access token of this service, one of a registered identity provider, or an API key. Every
 * front end calls it. It returns only if the credential is accepted.
 *
 * @throws {BearerRefusal} if the credential is refused.
 * @throws {UnavailableError} if a store or an issuer's keys cannot be read, so that there is
 *   no decision.
 */
export async function verifyBearer(
  request: BearerRequest,
  ports: VerifierPorts,
  settings: VerifierSettings,
): Promise<VerifiedCredential> {
  try {
    const verified = await verifyCredential(request, ports, settings);
    requireScopes(verified, request.requiredScopes);
    return verified;
  } catch (error) {
    // A record that cannot be read fails only the requests that depend on it.
    if (error instanceof MalformedRecordError) {
      throw new BearerRefusal('record_malformed', {}, { cause: error });
    }
    throw error;
  }
}
