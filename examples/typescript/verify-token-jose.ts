import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { required } from './environment.ts';

// Made once: it keeps the keys, and fetches them again when a token has a key that it lacks.
const keys = createRemoteJWKSet(new URL(required('JWKS_URI')));

try {
  const { payload } = await jwtVerify(required('ACCESS_TOKEN'), keys, {
    issuer: required('ISSUER'),
    audience: required('AUDIENCE'),
    algorithms: ['RS256'],
    typ: 'at+jwt',
    requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'scope'],
    clockTolerance: 10,
  });
  console.log(JSON.stringify(payload));
} catch (error) {
  // Keys that cannot be fetched say nothing about the token: answer 503 to those, 401 to these.
  if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout) throw error;
  console.error(`refused: ${error.message}`);
  process.exitCode = 1;
}
