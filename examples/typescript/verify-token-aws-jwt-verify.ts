import { JwtVerifier } from 'aws-jwt-verify';
import { assertStringEquals } from 'aws-jwt-verify/assert';
import { FetchError, JwtBaseError, JwtExpiredError } from 'aws-jwt-verify/error';
import { required } from './environment.ts';

// Made once: it keeps the keys, and fetches them again when a token has a key that it lacks.
const verifier = JwtVerifier.create({
  issuer: required('ISSUER'),
  audience: required('AUDIENCE'),
  jwksUri: required('JWKS_URI'),
  graceSeconds: 10,
  // The library asks for no type, no expiry and no algorithm of yours by itself.
  customJwtCheck: ({ header, payload }) => {
    assertStringEquals('typ', header.typ, 'at+jwt');
    assertStringEquals('alg', header.alg, 'RS256');
    if (payload.exp === undefined) throw new JwtExpiredError('exp is missing', undefined);
  },
});

try {
  console.log(JSON.stringify(await verifier.verify(required('ACCESS_TOKEN'))));
} catch (error) {
  // Keys that cannot be fetched say nothing about the token: answer 503 to those, 401 to these.
  if (!(error instanceof JwtBaseError) || error instanceof FetchError) throw error;
  console.error(`refused: ${error.message}`);
  process.exitCode = 1;
}
