import { vi } from 'vitest';
import type { Settings } from '../../contract/function-settings.ts';
import { tokenPath } from '../../contract/routes.ts';
import type { Client } from '../../core/client/client.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { clientIdOf, makeClient, secretValueOf } from '../../lab/support/clients.ts';
import { lambdaContext, type ProxyRequest, proxyEvent } from '../../lab/support/proxy-event.ts';
import { makeSigningKey, signWithKeys } from '../../lab/support/signing-keys.ts';
import { basic } from '../../lab/support/token-request.ts';
import { tokenEnvironment, worldNow } from '../../lab/support/token-settings.ts';
import type { Telemetry } from '../../lambda/shared/telemetry.ts';
import { createTokenFunction } from '../../lambda/token/function.ts';
import { recordTelemetry } from './recorded-telemetry.ts';

const signer = makeSigningKey('ES256');

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

type Ports = Parameters<typeof createTokenFunction>[1];

/**
 * The token function over stores in memory: `call` is what the gateway does.
 *
 * @param open makes the ports of the function's other files, which read these clients.
 */
export function tokenWorld(
  clients: readonly Client[] = [makeClient()],
  telemetry?: Telemetry,
  environment: Partial<Settings<'token'>> = {},
  open: (
    clients: Ports['clients'],
    clock: () => number,
  ) => Pick<Ports, 'federation' | 'findBinding'> = () => ({}),
) {
  const byId = new Map(clients.map((client) => [client.clientId, client]));
  const stores = {
    findClient: vi.fn(async (id: string) => byId.get(id)),
    recordUse: vi.fn(async () => {}),
    listSigningKeys: vi.fn(async (): Promise<readonly SigningKey[]> => [signer.key]),
    sign: vi.fn(signWithKeys(signer)),
  };
  const recorded = recordTelemetry();
  const clock = { now: worldNow };
  const milliseconds = () => clock.now * 1000;
  const reader = { findClient: stores.findClient };
  const handler = createTokenFunction(
    { ...tokenEnvironment, ...environment },
    {
      clients: reader,
      uses: { recordUse: stores.recordUse },
      signingKeys: { listSigningKeys: stores.listSigningKeys },
      sign: stores.sign,
      ...open(reader, milliseconds),
    },
    { clock: milliseconds, telemetry: telemetry ?? recorded.telemetry },
  );
  const eventAt = (request: ProxyRequest) => proxyEvent({ receivedAt: milliseconds(), ...request });
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
