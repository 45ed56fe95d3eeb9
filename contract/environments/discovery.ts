import * as v from 'valibot';
import { clientKeyAlgs, proofAlgs } from '../proof-algorithms.ts';
import { algs } from '../signing-algorithms.ts';
import { flag, json, list, regionId, text, wholeNumber } from './read-variables.ts';

/** The environment of the discovery function. */
export const discoveryVariables = v.object({
  AUTH_ISSUER: text,
  /** JSON object: region id → token endpoint. */
  AUTH_REGIONAL_TOKEN_ENDPOINTS: v.pipe(json, v.record(regionId, text)),
  AUTH_SIGNING_ALGORITHMS: list(v.picklist(algs)),
  /** Absent if the catalogue is too long for an environment (4 KB for all variables). */
  AUTH_SCOPES_SUPPORTED: v.optional(list(text)),
  /** Whether the document has an authorization endpoint, which refuses every request. */
  AUTH_AUTHORIZATION_ENDPOINT: flag,
  /** Whether the token endpoint accepts assertions. */
  AUTH_FEDERATED_CLIENTS: flag,
  /** What clients' own keys sign with, if clients may have keys. */
  AUTH_CLIENT_KEYS: v.optional(list(v.picklist(clientKeyAlgs))),
  /** Whether no secret authenticates a client. */
  AUTH_KEYS_ONLY: flag,
  /** What proofs are signed with, if tokens can be bound to keys. */
  AUTH_DPOP_ALGORITHMS: v.optional(list(v.picklist(proofAlgs))),
  AUTH_DOCUMENT_MAX_AGE: wholeNumber,
});
