import * as v from 'valibot';
import { proofAlgs } from '../proof-algorithms.ts';
import { lookupFailureChoices } from '../revocation-check.ts';
import { flag, json, list, plainTokenType, text, wholeNumber } from './read-variables.ts';

/** The environment of the authorizer function. */
export const authorizerVariables = v.object({
  AUTH_ISSUER: text,
  /** The values of `aud` that the protected API accepts. */
  AUTH_AUDIENCES: list(text),
  AUTH_DEFAULT_AUDIENCE: text,
  AUTH_CLIENTS_TABLE: text,
  AUTH_API_KEYS_TABLE: text,
  AUTH_IDENTITY_PROVIDERS_TABLE: text,
  /** The table of the last uses of API keys; without it, none is recorded. */
  AUTH_API_KEY_USES_TABLE: v.optional(text),
  /** JSON object: `GET /messages` → scopes, separated by a space. */
  AUTH_REQUIRED_SCOPES: v.pipe(json, v.record(text, v.string())),
  /** Seconds for which the gateway caches a decision; 0 if it does not. */
  AUTH_RESULT_CACHE_TTL: wholeNumber,
  AUTH_ACCESS_TOKEN_TYPE: plainTokenType,
  /** Whether tokens that are not bound to a key are refused. */
  AUTH_DPOP_REQUIRED: flag,
  /** Origins of the API as its clients see them, if they are not those of the gateway's event. */
  AUTH_DPOP_ORIGINS: v.optional(list(text)),
  /** `alg` values of proofs, if not every known one is accepted. */
  AUTH_DPOP_ALGORITHMS: v.optional(list(v.picklist(proofAlgs))),
  /** What happens while the client of an own token cannot be looked up; without it, none is. */
  AUTH_REVOCATION_CHECK: v.optional(
    v.picklist(lookupFailureChoices, `allowed: ${lookupFailureChoices.join(', ')}, or nothing`),
  ),
  /** Providers on loopback: only in the local run. No stack sets it. */
  AUTH_ALLOW_LOOPBACK_PROVIDERS: flag,
});
