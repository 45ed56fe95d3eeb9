import { expect, it, vi } from 'vitest';
import { createGuardedFetch } from '../../../adapters/https/json-request.ts';
import { slowTokenRequest } from '../../../contract/request-metrics.ts';
import { createFederation, type FederationSource } from '../../../lambda/token/federated.ts';

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
    variables: JSON.stringify(federation),
    clock: Date.now,
  };
  createFederation(source as FederationSource);
  const [options] = vi.mocked(createGuardedFetch).mock.lastCall ?? [];
  expect(options?.timeout).toBeLessThanOrEqual(slowTokenRequest - restOfRequest);
});
