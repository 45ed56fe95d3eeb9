/** A deployment's settings of tokens, of no test in particular. */
export const settings = {
  issuer: 'https://auth.example.com',
  regionId: 'slc',
  defaultAudience: 'https://api.example.com',
  maxTokenLifetime: 86_400,
  publicationLead: 1_000,
  leeway: 60,
  accessTokenType: 'at+jwt',
} as const;
