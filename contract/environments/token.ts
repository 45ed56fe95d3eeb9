import * as v from 'valibot';
import { flag, plainTokenType, regionId, text, wholeNumber } from './read-variables.ts';

/** The environment of the token function. */
export const tokenVariables = v.object({
  AUTH_ISSUER: text,
  AUTH_REGION_ID: regionId,
  AUTH_DEFAULT_AUDIENCE: text,
  AUTH_MAX_TOKEN_LIFETIME: wholeNumber,
  AUTH_CLIENTS_TABLE: text,
  AUTH_SIGNING_KEYS_TABLE: text,
  AUTH_KEY_LIST_REFRESH: wholeNumber,
  /** How long a `next` key must have been published before it may be the fallback key. */
  AUTH_PUBLICATION_LEAD: wholeNumber,
  /**
   * By how much clocks may differ. A `previous` key signs only tokens that expire at least this
   * long before it leaves the JWKS.
   */
  AUTH_LEEWAY: wholeNumber,
  /** The maximum age of the key list when the table does not answer. */
  AUTH_KEY_LIST_MAX_AGE: wholeNumber,
  /** Whether a client that asks for too many tokens is refused or counted. Without a value: neither. */
  AUTH_FAIR_SHARE: v.optional(v.picklist(['enforce', 'count'], 'allowed: enforce or count')),
  /** New tokens in a minute of one client in one instance. */
  AUTH_SIGNS_PER_MINUTE: v.optional(wholeNumber),
  AUTH_ACCESS_TOKEN_TYPE: plainTokenType,
  /** JSON of `FederationVariables`. Without a value, no assertion is accepted. */
  AUTH_FEDERATED_CLIENTS: v.optional(text),
  /** JSON of `BindingVariables`. Without a value, no token is bound to a key. */
  AUTH_DPOP: v.optional(text),
  /** What `audience` of a request means. Without a value: nothing. */
  AUTH_AUDIENCE_PARAMETER: v.optional(
    v.picklist(['refuse', 'resource'], 'allowed: refuse or resource'),
  ),
  /** Whether no secret authenticates a client. */
  AUTH_KEYS_ONLY: flag,
  /** Whether clients were imported, and come with ids of before. */
  AUTH_CLIENT_IMPORT: flag,
  /** Scopes that a request may name and that count for nothing, separated by a space. */
  AUTH_IGNORED_SCOPES: v.optional(text),
  /** Whether each client has metrics of its own. */
});
