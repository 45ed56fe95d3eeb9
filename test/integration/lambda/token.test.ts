import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DisableKeyCommand, EnableKeyCommand } from '@aws-sdk/client-kms';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { createKmsClient } from '../../../adapters/kms/kms-client.ts';
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

const { environment, optionsAt, awsAt, tokenFunction, tables, keys } = useTokenFunction();

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

  it('notes once a day that the secret was used', async () => {
    const { issue, reports } = tokenFunction();
    await expect
      .poll(async () => {
        await issue();
        return reports.at(-1)?.fields['secret_use'];
      })
      .toBe('not_due');
  });

  it('fails only one client if its item is malformed', async () => {
    const { issue, reports } = tokenFunction();
    await tables().dynamodb.send(
      new PutItemCommand({
        TableName: tables().nameOf('clients'),
        Item: { client_id: { S: clientIdOf(2) }, enabled: { S: 'yes' } },
      }),
    );
    expect((await issue(basic(clientIdOf(2), secret))).statusCode).toBe(500);
    expect(reports.at(-1)?.fields['error_name']).toBe('MalformedRecordError');
    expect((await issue()).statusCode).toBe(200);
  });

  it('signs with the next key while KMS refuses the current one', async () => {
    const { issue, selfTest } = tokenFunction();
    const client = createKmsClient(optionsAt());
    await client.send(new DisableKeyCommand({ KeyId: keys().current.kmsKeyArn }));
    try {
      const { body } = await issue();
      const { access_token } = JSON.parse(body) as { access_token: string };
      expect(decodeProtectedHeader(access_token).kid).toBe(keys().next.kid);
      await client.send(new DisableKeyCommand({ KeyId: keys().next.kmsKeyArn }));
      expect((await issue()).statusCode).toBe(503);
      expect(await selfTest()).toEqual({
        ok: false,
        reason: expect.stringContaining('no published key of this region can sign'),
      });
    } finally {
      for (const { kmsKeyArn: KeyId } of Object.values(keys())) {
        await client.send(new EnableKeyCommand({ KeyId }));
      }
    }
    expect(await selfTest()).toEqual({ ok: true });
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
