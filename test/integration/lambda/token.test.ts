import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { jwksPath } from '../../../contract/routes.ts';
import { clientIdOf } from '../../../lab/support/clients.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { createJwksHandler } from '../../../lambda/jwks/function.ts';
import { createTelemetry } from '../../../lambda/shared/telemetry.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { tokenRequest } from '../../support/token-world.ts';
import { failure, startStub } from '../adapters/stub-server.ts';
import { secret, useTokenFunction } from './use-token-function.ts';

const { environment, awsAt, tokenFunction, tables } = useTokenFunction();

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

const services = ['dynamodb', 'kms'] as const;

describe('a token', () => {
  it.each(services)('while %s is not there at all: /health is 503', async (service) => {
    const stub = await startStub(() => 'reset');
    await stub.close();
    const { health } = tokenFunction({ [service]: stub.endpoint });
    expect((await health()).statusCode).toBe(503);
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

describe('the log', () => {
  const canary = 'CANARY-9c41';

  it.each(services)('has no credential while %s fails', async (service) => {
    const stub = await startStub(() => failure(400, 'ThrottlingException'));
    const output = await captureOutput(async () => {
      const telemetry = createTelemetry('token', {}, { byOutcome: true });
      const handler = createTokenHandler(environment(), awsAt({ [service]: stub.endpoint }), {
        telemetry,
      });
      for (const authorization of [
        basic(clientIdOf(1), secret),
        basic(`cs_${canary}`, clientIdOf(1)),
        basic(`client_${canary}`, `cs_${canary}`),
      ]) {
        const request = tokenRequest({ headers: { Authorization: authorization } });
        await handler(proxyEvent(request), lambdaContext());
      }
    });
    await stub.close();
    const lines = output.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.includes(canary) || line.includes(secret))).toEqual([]);
  });
});
