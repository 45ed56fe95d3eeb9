import { expect, it, vi } from 'vitest';
import type { AwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { createGuardedFetch } from '../../../adapters/https/json-request.ts';
import { slowTokenRequest } from '../../../contract/request-metrics.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { tokenEnvironment } from '../../../lab/support/token-settings.ts';
import { createFederation, type FederationSource } from '../../../lambda/token/federated.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';
import { tokenRequest } from '../../support/token-world.ts';

vi.mock('../../../adapters/https/json-request.ts', { spy: true });

/** What the rest of a token request may take, with the reads of two records. */
const restOfRequest = 400;

it('a provider that hangs makes no token request slow enough for the alarm on slow ones', () => {
  const federation = {
    identityProvidersTable: 't',
    tokenEndpoints: [],
    maxAge: 1,
    ownProviders: true,
  };
  const source: Omit<FederationSource, 'calls' | 'clients'> = {
    issuer: 'https://auth.example.com',
    settings: federation,
    clock: Date.now,
  };
  createFederation(source as FederationSource);
  const [options] = vi.mocked(createGuardedFetch).mock.lastCall ?? [];
  expect(options?.timeout).toBeLessThanOrEqual(slowTokenRequest - restOfRequest);
});

it('the file for assertions is loaded again by the next request if it could not be', async () => {
  const load = vi.fn(async () => ({ createFederation: () => async () => ({ retryAfter: 1 }) }));
  load.mockRejectedValueOnce(new Error('too many open files'));
  const environment = { ...tokenEnvironment, federatedClients: {} as never };
  const options = { telemetry: { report: () => {} }, loadFederation: load as never };
  const handler = createTokenHandler(environment, {} as AwsJsonClients, options);
  const type = encodeURIComponent('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  const body = `grant_type=client_credentials&client_assertion_type=${type}&client_assertion=a.b.c`;
  const request = tokenRequest({ headers: { Authorization: [] }, body });
  const ask = async () => (await handler(proxyEvent(request), lambdaContext())).statusCode;
  expect([await ask(), await ask(), await ask()]).toEqual([500, 429, 429]);
  expect(load).toHaveBeenCalledTimes(2);
});

it.each(['dpop', 'federatedClients'])(
  'a function without the file for %s does not start',
  (name) => {
    const environment = { ...tokenEnvironment, [name]: { audiences: {} } };
    expect(() => createTokenHandler(environment, {} as AwsJsonClients)).toThrow(`${name} is set`);
  },
);
