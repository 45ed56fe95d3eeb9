/*
 * Accepts tokens of Amazon Cognito and of this service, while callers move from one to the other.
 * When the last one has moved, delete what is about Cognito.
 */
import { JwtVerifier } from 'aws-jwt-verify';
import { assertStringEquals } from 'aws-jwt-verify/assert';
import { FetchError, JwtBaseError, JwtExpiredError } from 'aws-jwt-verify/error';
import { required } from './environment.ts';

// https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1
const cognitoIssuer = required('COGNITO_ISSUER');

/** The scopes of the user pool, with the name that each has here. */
const scopeNames = new Map([
  ['https://api.example.com/messages.read', 'messaging:view'],
  ['https://api.example.com/messages.write', 'messaging:manage'],
]);

const ownTokens = {
  issuer: required('ISSUER'),
  audience: required('AUDIENCE'),
  jwksUri: required('JWKS_URI'),
  graceSeconds: 10,
};

const cognitoTokens = {
  issuer: cognitoIssuer,
  // Cognito's access tokens have no aud: the scopes say for which API they are.
  audience: null,
  jwksUri: `${cognitoIssuer}/.well-known/jwks.json`,
  graceSeconds: 10,
};

const verifier = JwtVerifier.create([
  {
    ...ownTokens,
    customJwtCheck: ({ header, payload }) => {
      assertStringEquals('typ', header.typ, 'at+jwt');
      assertStringEquals('alg', header.alg, 'RS256');
      if (payload.exp === undefined) throw new JwtExpiredError('exp is missing', undefined);
    },
  },
  {
    ...cognitoTokens,
    customJwtCheck: ({ header, payload }) => {
      assertStringEquals('alg', header.alg, 'RS256');
      // An id token of a user has the same issuer and keys.
      assertStringEquals('token_use', payload['token_use'], 'access');
      if (payload.exp === undefined) throw new JwtExpiredError('exp is missing', undefined);
    },
  },
]);

try {
  const { iss, client_id, scope = '' } = await verifier.verify(required('ACCESS_TOKEN'));
  const given = scope.split(' ');
  const scopes = iss === cognitoIssuer ? given.map((name) => scopeNames.get(name)) : given;
  console.log(JSON.stringify({ client_id, scopes: scopes.filter((name) => name !== undefined) }));
} catch (error) {
  // Keys that cannot be fetched say nothing about the token: answer 503 to those, 401 to these.
  if (!(error instanceof JwtBaseError) || error instanceof FetchError) throw error;
  console.error(`refused: ${error.message}`);
  process.exitCode = 1;
}
