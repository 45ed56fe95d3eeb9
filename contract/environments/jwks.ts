import * as v from 'valibot';
import { text, wholeNumber } from './read-variables.ts';

/** The environment of the jwks function. */
export const jwksVariables = v.object({
  AUTH_SIGNING_KEYS_TABLE: text,
  AUTH_KEY_LIST_REFRESH: wholeNumber,
  AUTH_JWKS_MAX_AGE: wholeNumber,
});
