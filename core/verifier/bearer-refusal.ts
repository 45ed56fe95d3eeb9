import type { BearerErrorCode } from '../../contract/bearer-challenge.ts';

interface RefusalForm {
  readonly status: 400 | 401 | 403;
  /** Undefined if the challenge names no error (RFC 6750 §3.1). */
  readonly code: BearerErrorCode | undefined;
  /** Public text. It never contains received values. */
  readonly description: string | undefined;
}

function badRequest(description: string): RefusalForm {
  return { status: 400, code: 'invalid_request', description };
}

function badToken(description: string): RefusalForm {
  return { status: 401, code: 'invalid_token', description };
}

function badProof(description: string): RefusalForm {
  return { status: 401, code: 'invalid_dpop_proof', description };
}

function lacksScope(what: string): RefusalForm {
  const description = `the ${what} lacks a scope that this request requires`;
  return { status: 403, code: 'insufficient_scope', description };
}

/** One text for every reason, so that a refusal does not reveal whether a key exists. */
const badApiKey = badToken('the API key is not valid');

const forms = {
  no_credential: { status: 401, code: undefined, description: undefined },
  authorization_repeated: badRequest('there is more than one Authorization header'),
  headers_dropped: badRequest('the request has too many headers'),
  authorization_malformed: badRequest('the Authorization header is not valid'),
  token_too_long: badToken('the access token is too long'),
  token_malformed: badToken('the access token is not a signed JWT'),
  token_type_not_allowed: badToken('the type of the access token is not accepted'),
  token_algorithm_not_allowed: badToken('the algorithm of the access token is not accepted'),
  token_critical_header: badToken('the access token has a critical header that is not known'),
  token_key_id_missing: badToken('the access token names no valid key id'),
  token_claims_malformed: badToken('the claims of the access token are not valid'),
  token_expired: badToken('the access token expired'),
  token_not_yet_valid: badToken('the access token is not valid yet'),
  token_lifetime_too_long: badToken('the lifetime of the access token is too long'),
  token_audience_not_allowed: badToken('the access token is for another audience'),
  token_key_unknown: badToken('the key of the access token is not known'),
  token_signature_wrong: badToken('the signature of the access token is not valid'),
  issuer_unknown: badToken('the issuer of the access token is not accepted'),
  client_unknown: badToken('the client of the access token is not accepted'),
  client_disabled: badToken('the client of the access token is not accepted'),
  token_revoked: badToken('the access token was revoked'),
  client_condition_unmet: badToken('the client of the access token is not accepted'),
  api_key_malformed: badApiKey,
  api_key_not_accepted: badApiKey,
  api_key_unknown: badApiKey,
  api_key_wrong: badApiKey,
  api_key_disabled: badApiKey,
  api_key_expired: badApiKey,
  api_key_source_refused: badApiKey,
  api_key_scope_missing: lacksScope('API key'),
  token_confirmation_unknown: badToken('the access token is bound in a way that is not known here'),
  token_bound: badToken('the access token is bound to a key and needs a DPoP proof'),
  token_not_bound: badToken('the credential is not bound to a key: send it as Bearer'),
  token_binding_required: badToken('an access token that is bound to a key is required'),
  proof_not_checkable: badToken('no DPoP proof is checked here'),
  proof_missing: badProof('there is no DPoP proof'),
  proof_invalid: badProof('the DPoP proof is not valid'),
  proof_not_yet_valid: badProof('the DPoP proof is not valid yet'),
  proof_key_wrong: badProof('the DPoP proof is of another key than the access token'),
  proof_replayed: badProof('the DPoP proof was used before'),
  proof_limit_reached: badProof('there are too many DPoP proofs, try again later'),
  proof_nonce_missing: {
    status: 401,
    code: 'use_dpop_nonce',
    description: 'the DPoP proof needs a nonce of this API',
  },
  record_malformed: badToken('the credential is not accepted'),
  insufficient_scope: lacksScope('access token'),
} as const satisfies Record<string, RefusalForm>;

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
export function refuse(
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
  return refuse(reason, () => ({ name, received, expected }));
}

/** A token that is too long to be looked at. */
export function refuseLength(received: number, most: number): BearerRefusal {
  return refuseFor('token_too_long', 'length', received, `at most ${most} characters`);
}

/** A claim that is missing or of the wrong form. */
export function refuseClaim(name: string, received: unknown, expected: string): BearerRefusal {
  return refuseFor('token_claims_malformed', name, received, expected);
}
