/*
 * Accepts tokens of Amazon Cognito and of this service, while callers move from one to the other.
 * When the last one has moved, delete what is about Cognito.
 */
import { JwtVerifier } from 'aws-jwt-verify';
import { assertStringArraysOverlap, assertStringEquals } from 'aws-jwt-verify/assert';
import { FetchError, JwtBaseError, JwtExpiredError } from 'aws-jwt-verify/error';
import { required } from './environment.ts';

// https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1
const cognitoIssuer = required('COGNITO_ISSUER');

/** One of these is enough, as for an authorizer of a user pool. */
const anyOf = required('ANY_OF').split(' ');

const verifier = JwtVerifier.create([
  {
    issuer: required('ISSUER'),
    audience: required('AUDIENCE'),
    jwksUri: required('JWKS_URI'),
    graceSeconds: 10,
    customJwtCheck: ({ header, payload }) => {
      assertStringEquals('typ', header.typ, 'at+jwt');
      assertStringEquals('alg', header.alg, 'RS256');
      if (payload.exp === undefined) throw new JwtExpiredError('exp is missing', undefined);
    },
  },
  {
    issuer: cognitoIssuer,
    // Cognito's access tokens have no aud: the scopes say for which API they are.
    audience: null,
    jwksUri: `${cognitoIssuer}/.well-known/jwks.json`,
    graceSeconds: 10,
    customJwtCheck: ({ header, payload }) => {
      assertStringEquals('alg', header.alg, 'RS256');
      // An id token of a user has the same issuer and keys.
      assertStringEquals('token_use', payload['token_use'], 'access');
      if (payload.exp === undefined) throw new JwtExpiredError('exp is missing', undefined);
    },
  },
]);

try {
  const { client_id, scope = '' } = await verifier.verify(required('ACCESS_TOKEN'));
  const given = scope.split(' ');
  assertStringArraysOverlap('scope', given, anyOf);
  console.log(JSON.stringify({ client_id, scopes: given.filter((name) => anyOf.includes(name)) }));
} catch (error) {
  // Keys that cannot be fetched say nothing about the token: answer 503 to those, 401 to these.
  if (!(error instanceof JwtBaseError) || error instanceof FetchError) throw error;
  console.error(`refused: ${error.message}`);
  process.exitCode = 1;
}
