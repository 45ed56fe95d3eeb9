import type { BearerErrorCode } from '../../contract/bearer-challenge.ts';
import type { Stops } from '../stops.ts';

/** What a refusal means to people who may know which rule refused: operators and owners. */
export interface RefusalWords {
  /** The rule that was not kept. */
  readonly rule: string;
  /** What ends it, in Markdown: docs/refusals.md and `explain` show it. */
  readonly remedy: string;
}

interface RefusalForm extends RefusalWords {
  readonly status: 400 | 401 | 403;
  /** Undefined if the challenge names no error (RFC 6750 §3.1). */
  readonly code: BearerErrorCode | undefined;
  /** Public text. It never contains received values. */
  readonly description: string | undefined;
  /** Status and code behind the API Gateway authorizer, if it cannot give the others (ADR 0025). */
  readonly atGateway?: Pick<RefusalForm, 'status' | 'code'>;
}

const atGateway = { status: 401, code: 'invalid_token' } as const;

function badRequest(description: string, words: RefusalWords): RefusalForm {
  return { status: 400, code: 'invalid_request', description, atGateway, ...words };
}

function badToken(description: string, words: RefusalWords): RefusalForm {
  return { status: 401, code: 'invalid_token', description, ...words };
}

function badProof(description: string, words: RefusalWords): RefusalForm {
  return { status: 401, code: 'invalid_dpop_proof', description, ...words };
}

function lacksScope(what: string, words: RefusalWords): RefusalForm {
  const description = `the ${what} lacks a scope that this request requires`;
  return { status: 403, code: 'insufficient_scope', description, ...words };
}

/** One text for every reason, so that a refusal does not reveal whether a key exists. */
function badApiKey(words: RefusalWords): RefusalForm {
  return badToken('the API key is not valid', words);
}

const sendOnce = 'Send it once.';
const anotherToken = 'Get a new token, and send it unchanged.';
const anotherKey = 'Send the API key as it was shown. If it is lost, create another one.';

const forms = {
  no_credential: {
    status: 401,
    code: undefined,
    description: undefined,
    atGateway,
    rule: 'a request needs a credential of the scheme Bearer, or DPoP',
    remedy: 'Send `Authorization: Bearer` (or `DPoP`) and a token or an API key.',
  },
  authorization_repeated: badRequest('there is more than one Authorization header', {
    rule: 'there is one Authorization header',
    remedy: sendOnce,
  }),
  headers_dropped: badRequest('the request has too many headers', {
    rule: 'a request has no more headers than Node keeps',
    remedy: 'Send fewer headers.',
  }),
  authorization_malformed: badRequest('the Authorization header is not valid', {
    rule: 'a credential has no characters but those of RFC 6750 §2.1',
    remedy: 'Send `Bearer`, one space and the token, without quotes or line breaks.',
  }),
  token_too_long: badToken('the access token is too long', {
    rule: 'an access token has a bounded length',
    remedy: anotherToken,
  }),
  token_malformed: badToken('the access token is not a signed JWT', {
    rule: 'an access token is a signed JWT of three base64url parts',
    remedy: `${anotherToken} An ID token or an opaque token is not accepted.`,
  }),
  token_type_not_allowed: badToken('the type of the access token is not accepted', {
    rule: 'the typ of an access token is at+jwt (RFC 9068 §4)',
    remedy:
      'Send the access token, not the ID token. For a library that makes `JWT`, see [tokens of the type JWT](platform-api.md#tokens-of-the-type-jwt).',
  }),
  token_algorithm_not_allowed: badToken('the algorithm of the access token is not accepted', {
    rule: "the alg is one of the issuer's, and that of the key",
    remedy: anotherToken,
  }),
  token_critical_header: badToken('the access token has a critical header that is not known', {
    rule: 'crit names nothing that is not understood (RFC 7515 §4.1.11)',
    remedy: anotherToken,
  }),
  token_key_id_missing: badToken('the access token names no valid key id', {
    rule: 'an access token names its key by kid',
    remedy: anotherToken,
  }),
  token_claims_malformed: badToken('the claims of the access token are not valid', {
    rule: 'every claim that is needed is there and of the right type',
    remedy: '`authctl explain request` names the claim.',
  }),
  token_expired: badToken('the access token expired', {
    rule: 'the time is before exp',
    remedy:
      'Get a new token shortly before `expires_in` ends, not when a call fails; compare the clocks.',
  }),
  token_not_yet_valid: badToken('the access token is not valid yet', {
    rule: 'the time is not before nbf or iat',
    remedy: 'Compare the clocks of the issuer and the API when the token was issued.',
  }),
  token_lifetime_too_long: badToken('the lifetime of the access token is too long', {
    rule: 'a token lives no longer than the longest lifetime allowed',
    remedy: 'Let the provider issue tokens with a shorter life.',
  }),
  token_audience_not_allowed: badToken('the access token is for another audience', {
    rule: "aud names this API, and is one of the client's audiences",
    remedy:
      'Ask for a token with the audience of this API (`resource`), or give the client the audience.',
  }),
  token_key_unknown: badToken('the key of the access token is not known', {
    rule: "the key is in the issuer's key set",
    remedy:
      'Get a new token. If it stays, the verifier cannot fetch the JWKS, or the token is from another deployment.',
  }),
  token_signature_wrong: badToken('the signature of the access token is not valid', {
    rule: "the signature is that of the issuer's key",
    remedy: anotherToken,
  }),
  issuer_unknown: badToken('the issuer of the access token is not accepted', {
    rule: 'the issuer is this service or a registered provider',
    remedy:
      'Get the token from this deployment, or register the [identity provider](providers.md).',
  }),
  provider_stopped: badToken('the issuer of the access token is not accepted', {
    rule: 'nothing stops the provider',
    remedy:
      'The provider is being deleted, or the staff stopped its trunk group: `authctl explain request` names who did.',
  }),
  client_unknown: badToken('the client of the access token is not accepted', {
    rule: "the client exists; a provider's client was created under this registration",
    remedy: 'Create the client under the provider: `authctl client create`.',
  }),
  client_disabled: badToken('the client of the access token is not accepted', {
    rule: 'the client is enabled',
    remedy:
      '`authctl client show ID` says who stopped it. A person: `client enable`. Its trunk group: `trunk-group resume`. A stack: update it.',
  }),
  token_revoked: badToken('the access token was revoked', {
    rule: "the token says by iat that it was issued after its client was created, and after the client's tokens were last revoked",
    remedy:
      'Get a token from after the creation of the client, and after its tokens were last revoked.',
  }),
  client_condition_unmet: badToken('the client of the access token is not accepted', {
    rule: "the token has every claim that the client's record requires",
    remedy: '`authctl explain request` names the claim and the value expected.',
  }),
  api_key_malformed: badApiKey({
    rule: 'an API key has the form and the checksum of one',
    remedy: anotherKey,
  }),
  api_key_not_accepted: badApiKey({
    rule: 'API keys are accepted',
    remedy: 'Call with a token, or let the verifier accept API keys.',
  }),
  api_key_unknown: badApiKey({
    rule: 'the API key exists',
    remedy: `${anotherKey} When a key is deleted, it does not come back.`,
  }),
  api_key_wrong: badApiKey({
    rule: 'the value is the one that was shown at creation',
    remedy: anotherKey,
  }),
  api_key_disabled: badApiKey({
    rule: 'the API key is enabled',
    remedy:
      '`authctl api-key show ID` says who stopped it. A person: `api-key enable`. Its trunk group: `trunk-group resume`.',
  }),
  api_key_expired: badApiKey({
    rule: 'the API key has not expired',
    remedy: 'Create another key: one that has expired cannot be extended.',
  }),
  api_key_source_refused: badApiKey({
    rule: "the source address is in one of the key's subnets",
    remedy: 'Call from one of the key’s subnets, or add the subnet to the key.',
  }),
  api_key_scope_missing: lacksScope('API key', {
    rule: 'the API key has every scope that the request requires',
    remedy: 'Add the scope: `authctl api-key update ID --scope …` names all of them.',
  }),
  token_confirmation_unknown: badToken(
    'the access token is bound in a way that is not known here',
    {
      rule: 'cnf is the thumbprint of a key (jkt), or is not there',
      remedy:
        'Get a token that is bound to a key by DPoP, or to none. Bindings to certificates are not known here.',
    },
  ),
  token_bound: badToken('the access token is bound to a key and needs a DPoP proof', {
    rule: 'a token that is bound to a key comes with the scheme DPoP and a proof',
    remedy:
      'Send `Authorization: DPoP`, the token, and a proof in the header `DPoP` (RFC 9449 §7.1).',
  }),
  token_not_bound: badToken('the credential is not bound to a key: send it as Bearer', {
    rule: 'a credential that is not bound to a key comes with the scheme Bearer',
    remedy: 'Send the token or API key as `Authorization: Bearer`, without a proof.',
  }),
  token_binding_required: badToken('an access token that is bound to a key is required', {
    rule: 'the token is bound to a key (cnf.jkt)',
    remedy: 'Get a token with a proof, for a key of yours.',
  }),
  proof_not_checkable: badToken('no DPoP proof is checked here', {
    rule: 'the API checks proofs: it names its origins (dpop)',
    remedy:
      'Set `dpop` of the verifier, with `--dpop-origin` of forward-auth, or a `resultCacheTtl` of 0: [bound tokens](platform-api.md#tokens-that-are-bound-to-a-key).',
  }),
  proof_missing: badProof('there is no DPoP proof', {
    rule: 'a bound token comes with a DPoP header',
    remedy: 'Send one header `DPoP` with each request.',
  }),
  proof_invalid: badProof('the DPoP proof is not valid', {
    rule: 'the proof is what RFC 9449 §4.3 asks for: of this request, token and minute',
    remedy:
      'The log of the verifier names the part: `htm`, `htu`, `iat`, `nbf`, `exp`, `ath`, `jti`, `jwk`, `alg` or the signature.',
  }),
  proof_not_yet_valid: badProof('the DPoP proof is not valid yet', {
    rule: 'iat and nbf of a proof are not more than a minute in the future',
    remedy: 'Compare the clock of the client: its `iat` or `nbf` is over a minute ahead.',
  }),
  proof_key_wrong: badProof('the DPoP proof is of another key than the access token', {
    rule: 'the key of the proof is the one that the token is bound to',
    remedy: 'Sign proofs with the key with which the token was fetched.',
  }),
  proof_replayed: badProof('the DPoP proof was used before', {
    rule: 'a proof is for one request',
    remedy: 'Make a new proof for each request, also when it is repeated.',
  }),
  proof_limit_reached: badProof('there are too many DPoP proofs, try again later', {
    rule: 'a client, or a trunk group, has no more proofs in a minute than its share of what the process can remember',
    remedy: 'Send fewer requests, or spread them over more processes.',
  }),
  proof_nonce_missing: {
    status: 401,
    code: 'use_dpop_nonce',
    description: 'the DPoP proof needs a nonce of this API',
    rule: 'the proof has a nonce that this API gave (RFC 9449 §9)',
    remedy: 'Repeat the request with the `nonce` of the header `DPoP-Nonce`.',
  },
  record_malformed: badToken('the credential is not accepted', {
    rule: 'the stored record can be read',
    remedy: 'Look into the log of the verifier: the stored record is damaged or newer.',
  }),
  insufficient_scope: lacksScope('access token', {
    rule: 'the credential has every scope that the request requires',
    remedy: 'Get a token with the scope that the response names.',
  }),
} as const satisfies Record<string, RefusalForm>;

/** Each reason with what is returned, which rule it is, and what ends it. */
export const refusalForms: Readonly<Record<RefusalReason, RefusalForm>> = forms;

/** Why a credential was refused. For logs and metrics only: it says more than the public text. */
export type RefusalReason = keyof typeof forms;

/** Log fields of a refusal: ids from a store or from a verified token. */
export interface RefusalFacts {
  readonly clientId?: string;
  readonly keyId?: string;
  readonly issuer?: string;
  readonly tokenId?: string;
  /** Which part of a proof is wrong: one of a closed set. */
  readonly proofPart?: string;
  /** The scopes that the request requires, if one of them was missing. */
  readonly requiredScopes?: readonly string[];
}

/** What a rule looked at. It may hold what a caller claims, and never a credential. */
export interface Finding {
  /** A claim, a header parameter, or a property of the request or the record. */
  readonly name: string;
  /** Undefined if it was not there. */
  readonly received: unknown;
  readonly expected: string;
  /** Owner of the record that `expected` was read from, if it was read from one. */
  readonly serviceTrunkGroup?: string | undefined;
}

interface RefusalDetail {
  readonly cause?: unknown;
  /** Called only if an operator asks why. */
  readonly finding?: () => Finding;
}

/**
 * A bearer credential that is refused (RFC 6750 §3.1). Every refusal is one of these; any other
 * error means that there is no decision, and therefore no access.
 */
export class BearerRefusal extends Error {
  override readonly name = 'BearerRefusal';
  readonly reason: RefusalReason;
  /** HTTP status: 400, 401 or 403. */
  readonly status: 400 | 401 | 403;
  /** `error` of the challenge; undefined if the request carried no credential. */
  readonly code: BearerErrorCode | undefined;
  /** `error_description` of the challenge. */
  readonly description: string | undefined;
  readonly facts: RefusalFacts;
  /** Private, so that no log and no response that shows the error shows claims. */
  readonly #finding: (() => Finding) | undefined;

  constructor(reason: RefusalReason, facts: RefusalFacts = {}, detail: RefusalDetail = {}) {
    const form: RefusalForm = forms[reason];
    super(`the bearer credential is refused: ${reason}`, { cause: detail.cause });
    this.reason = reason;
    this.status = form.status;
    this.code = form.code;
    this.description = form.description;
    this.facts = facts;
    this.#finding = detail.finding;
  }

  /** What the rule looked at, for operators; undefined if there is nothing that may be shown. */
  get finding(): Finding | undefined {
    return this.#finding?.();
  }
}

/** A refusal that can say what its rule looked at. */
export function refuseBearer(
  reason: RefusalReason,
  finding: () => Finding,
  facts: RefusalFacts = {},
): BearerRefusal {
  return new BearerRefusal(reason, facts, { finding });
}

/** The same of a value that has no facts for the log. */
export function refuseFor(
  reason: RefusalReason,
  name: string,
  received: unknown,
  expected: string,
): BearerRefusal {
  return refuseBearer(reason, () => ({ name, received, expected }));
}

/** What stops the record. Management says in words who can lift it. */
export function stopsFinding(stops: Stops): Finding {
  return { name: 'stops', received: stops, expected: 'none' };
}

/** A token that is too long to be looked at. */
export function refuseLength(received: number, most: number): BearerRefusal {
  return refuseFor('token_too_long', 'length', received, `at most ${most} characters`);
}

/** A claim that is missing or of the wrong form. */
export function refuseClaim(name: string, received: unknown, expected: string): BearerRefusal {
  return refuseFor('token_claims_malformed', name, received, expected);
}
