import { vi } from 'vitest';
import { type Environment } from '../../contract/environment.ts';
import { tokenPath } from '../../contract/routes.ts';
import type { Client } from '../../core/client/client.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import type { Telemetry } from '../../lambda/shared/telemetry.ts';
import { createTokenFunction } from '../../lambda/token/function.ts';
import { clientIdOf, makeClient, secretValueOf } from './clients.ts';
import { lambdaContext, type ProxyRequest, proxyEvent } from './proxy-event.ts';
import { recordTelemetry } from './recorded-telemetry.ts';
import { makeSigningKey, signWithKeys } from './signing-keys.ts';

export const worldNow = 1_800_000_000;

export const tokenEnvironment: Environment<'token'> = {
  AUTH_ISSUER: 'https://auth.example.com',
  AUTH_REGION_ID: 'slc',
  AUTH_DEFAULT_AUDIENCE: 'https://api.example.com',
  AUTH_MAX_TOKEN_LIFETIME: 86_400,
  AUTH_CLIENTS_TABLE: 'clients',
  AUTH_SIGNING_KEYS_TABLE: 'signing-keys',
  AUTH_KEY_LIST_REFRESH: 60,
  AUTH_PUBLICATION_LEAD: 1_000,
  AUTH_LEEWAY: 60,
  AUTH_KEY_LIST_MAX_AGE: 150,
};

const signer = makeSigningKey('ES256');

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export const goodAuthorization = basic(clientIdOf(1), secretValueOf(1));

/** Headers and body of a good token request; a test says what is different about it. */
export function tokenRequest(different: Partial<ProxyRequest> = {}): ProxyRequest {
  return {
    method: 'POST',
    path: tokenPath,
    body: 'grant_type=client_credentials',
    ...different,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: goodAuthorization,
      ...different.headers,
    },
  };
}

/** The token function over stores in memory: `call` is what the gateway does. */
export function tokenWorld(
  clients: readonly Client[] = [makeClient()],
  telemetry?: Telemetry,
  environment: Partial<Environment<'token'>> = {},
) {
  const byId = new Map(clients.map((client) => [client.clientId, client]));
  const stores = {
    findClient: vi.fn(async (id: string) => byId.get(id)),
    recordSecretUse: vi.fn(async () => {}),
    listSigningKeys: vi.fn(async (): Promise<readonly SigningKey[]> => [signer.key]),
    sign: vi.fn(signWithKeys(signer)),
  };
  const recorded = recordTelemetry();
  const clock = { now: worldNow };
  const handler = createTokenFunction(
    { ...tokenEnvironment, ...environment },
    {
      clients: { findClient: stores.findClient },
      secretUses: { recordSecretUse: stores.recordSecretUse },
      signingKeys: { listSigningKeys: stores.listSigningKeys },
      sign: stores.sign,
    },
    { clock: () => clock.now * 1000, telemetry: telemetry ?? recorded.telemetry },
  );
  const eventAt = (request: ProxyRequest) =>
    proxyEvent({ receivedAt: clock.now * 1000, ...request });
  return {
    handler,
    stores,
    byId,
    clock,
    reports: recorded.reports,
    call: (request: ProxyRequest) => handler(eventAt(request), lambdaContext()),
    issue: (different: Partial<ProxyRequest> = {}) =>
      handler(eventAt(tokenRequest(different)), lambdaContext()),
  };
}

export { signer as worldSigner };
