import type { RefusalReason } from './bearer-refusal.ts';

const rules: Readonly<Record<RefusalReason, string>> = {
  no_credential: 'a request needs a credential of the scheme Bearer, or DPoP',
  authorization_repeated: 'there is one Authorization header',
  headers_dropped: 'a request has no more headers than Node keeps',
  authorization_malformed: 'a credential has no characters but those of RFC 6750 §2.1',
  token_too_long: 'an access token has a bounded length',
  token_malformed: 'an access token is a signed JWT of three base64url parts',
  token_type_not_allowed: 'the typ of an access token is at+jwt (RFC 9068 §4)',
  token_algorithm_not_allowed: "the alg is one of the issuer's, and that of the key",
  token_critical_header: 'crit names nothing that is not understood (RFC 7515 §4.1.11)',
  token_key_id_missing: 'an access token names its key by kid',
  token_claims_malformed: 'every claim that is needed is there and of the right type',
  token_expired: 'the time is before exp',
  token_not_yet_valid: 'the time is not before nbf or iat',
  token_lifetime_too_long: 'a token lives no longer than the longest lifetime allowed',
  token_audience_not_allowed: "aud names this API, and is one of the client's audiences",
  token_key_unknown: "the key is in the issuer's key set",
  token_signature_wrong: "the signature is that of the issuer's key",
  issuer_unknown: 'the issuer is this service or a registered provider',
  client_unknown: "the client exists; a provider's client was created under this registration",
  client_disabled: 'the client is enabled',
  token_revoked:
    "the token says by iat that it was issued after its client was created, and after the client's tokens were last revoked",
  client_condition_unmet: "the token has every claim that the client's record requires",
  api_key_malformed: 'an API key has the form and the checksum of one',
  api_key_not_accepted: 'API keys are accepted',
  api_key_unknown: 'the API key exists',
  api_key_wrong: 'the value is the one that was shown at creation',
  api_key_disabled: 'the API key is enabled',
  api_key_expired: 'the API key has not expired',
  api_key_source_refused: "the source address is in one of the key's subnets",
  api_key_scope_missing: 'the API key has every scope that the request requires',
  token_confirmation_unknown: 'cnf is the thumbprint of a key (jkt), or is not there',
  token_bound: 'a token that is bound to a key comes with the scheme DPoP and a proof',
  token_not_bound: 'a credential that is not bound to a key comes with the scheme Bearer',
  token_binding_required: 'the token is bound to a key (cnf.jkt)',
  proof_not_checkable: 'the API checks proofs: it names its origins (dpop)',
  proof_missing: 'a bound token comes with a DPoP header',
  proof_invalid: 'the proof is what RFC 9449 §4.3 asks for: of this request, token and minute',
  proof_not_yet_valid: 'iat and nbf of a proof are not more than a minute in the future',
  proof_key_wrong: 'the key of the proof is the one that the token is bound to',
  proof_replayed: 'a proof is for one request',
  proof_limit_reached:
    'a client, or a trunk group, has no more proofs in a minute than its share of what the process can remember',
  proof_nonce_missing: 'the proof has a nonce that this API gave (RFC 9449 §9)',
  record_malformed: 'the stored record can be read',
  insufficient_scope: 'the credential has every scope that the request requires',
};

/** A rule of the verifier in words, for people who may know which one refused a credential. */
export function describeRule(reason: RefusalReason): string {
  return rules[reason];
}
