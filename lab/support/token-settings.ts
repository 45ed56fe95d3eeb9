import type { Environment } from '../../contract/environment.ts';

/** The time of tests of tokens, in seconds since the epoch. */
export const worldNow = 1_800_000_000;

/** Variables of a token function in tests. */
export const tokenEnvironment: Environment<'token'> = {
  AUTH_ISSUER: 'https://auth.example.com',
  AUTH_REGION_ID: 'slc',
  AUTH_DEFAULT_AUDIENCE: 'https://api.example.com',
  AUTH_MAX_TOKEN_LIFETIME: 86_400,
  AUTH_CLIENTS_TABLE: 'clients',
  AUTH_SIGNING_KEYS_TABLE: 'signing-keys',
  AUTH_KEY_LIST_REFRESH: 60,
  AUTH_PUBLICATION_LEAD: 1_000,
  AUTH_LEEWAY: 60,
  AUTH_KEY_LIST_MAX_AGE: 150,
};
