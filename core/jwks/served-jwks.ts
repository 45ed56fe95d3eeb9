import * as v from 'valibot';

/** A JWKS as some region serves it, as far as a library needs it to look for a key. */
export const servedJwksSchema = v.looseObject({
  keys: v.array(v.looseObject({ kid: v.string(), kty: v.string() })),
});
