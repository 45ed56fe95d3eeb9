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
      { signingKeysTable: tables().nameOf('signingKeys'), keyListRefresh: 60, jwksMaxAge: 300 },
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
  it.each(['dpop', 'federatedClients'] as const)('does not start if %s asks for it', (variable) => {
    expect(() => tokenFunction({}, { [variable]: { audiences: {} } })).toThrow(
      `${variable} is set`,
    );
  });
});
