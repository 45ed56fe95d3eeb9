import * as v from 'valibot';

/** A JWKS as a region serves it, in the form that a library needs to find a key. */
export const servedJwksSchema = v.looseObject({
  keys: v.array(v.looseObject({ kid: v.string(), kty: v.string() })),
});
