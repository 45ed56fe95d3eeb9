import * as v from 'valibot';
import { plainTokenType, regionId, text } from './read-variables.ts';

/** The environment of the synthetic-check function. */
export const syntheticCheckVariables = v.object({
  AUTH_ISSUER: text,
  AUTH_REGION_ID: regionId,
  AUTH_CLIENTS_TABLE: text,
  /** Addresses that reach only this region. */
  AUTH_TOKEN_ENDPOINT: text,
  AUTH_JWKS_URI: text,
  AUTH_ACCESS_TOKEN_TYPE: plainTokenType,
});
