import type { Settings } from '../../contract/function-settings.ts';

/** The time of tests of tokens, in seconds since the epoch. */
export const worldNow = 1_800_000_000;

/** Variables of a token function in tests. */
export const tokenEnvironment: Settings<'token'> = {
  issuer: 'https://auth.example.com',
  regionId: 'slc',
  defaultAudience: 'https://api.example.com',
  maxTokenLifetime: 86_400,
  clientsTable: 'clients',
  signingKeysTable: 'signing-keys',
  keyListRefresh: 60,
  publicationLead: 1_000,
  leeway: 60,
  keyListMaxAge: 150,
  accessTokenType: 'at+jwt',
};
