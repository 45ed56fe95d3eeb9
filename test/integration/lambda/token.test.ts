import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { jwksPath } from '../../../contract/routes.ts';
import { clientIdOf } from '../../../lab/support/clients.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { createJwksHandler } from '../../../lambda/jwks/function.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { useTokenFunction } from './use-token-function.ts';

const { awsAt, tokenFunction, tables } = useTokenFunction();

describe('the token function on real backends', () => {
  it('issues a token that the JWKS function verifies', async () => {
    const { issue } = tokenFunction();
    const response = await issue();
    expect(response.statusCode).toBe(200);
    const { access_token } = JSON.parse(response.body) as { access_token: string };
    const { telemetry } = recordTelemetry();
    const jwks = createJwksHandler(
      {
        AUTH_SIGNING_KEYS_TABLE: tables().nameOf('signingKeys'),
        AUTH_KEY_LIST_REFRESH: 60,
        AUTH_JWKS_MAX_AGE: 300,
      },
      awsAt(),
      { telemetry },
    );
    const { body } = await jwks(proxyEvent({ path: jwksPath }), lambdaContext());
    const keys = createLocalJWKSet(JSON.parse(body) as JSONWebKeySet);
    const { payload } = await jwtVerify(access_token, keys, { typ: 'at+jwt' });
    expect(payload.sub).toBe(clientIdOf(1));
  });
});

describe('a function that was started without one of its files', () => {
  it.each([['AUTH_DPOP'], ['AUTH_FEDERATED_CLIENTS']] as const)(
    'does not start if %s asks for it',
    (variable) => {
      expect(() => tokenFunction({}, { [variable]: '{}' })).toThrow(`${variable} is set`);
    },
  );
});
