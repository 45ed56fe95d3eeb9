import type { DynamoDbCalls } from '../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { createDynamoDbIdentityProviderReader } from '../../adapters/dynamodb/items/identity-provider-item.ts';
import { holdProviders } from '../../adapters/dynamodb/stores/remember-found.ts';
import { createFetchProviderKeys, createKeyCache } from '../../adapters/https/fetch-key-set.ts';
import { createGuardedFetch, type GuardedFetchOptions } from '../../adapters/https/json-request.ts';
import { assertionFetchTimeout } from '../../contract/bounds.ts';
import type { FederationSettings } from '../../contract/function-settings.ts';
import type { ClientReader } from '../../core/client/client.ts';
import { TooManyFailuresError, UnavailableError } from '../../core/errors.ts';
import { AssertionRefusal } from '../../core/federated/assertion-request.ts';
import { WorkloadAuthentication } from '../../core/federated/authenticate-workload.ts';
import { OAuthError } from '../../core/oauth-error.ts';
import type { Clock } from '../../core/time.ts';
import type { Federation, Outcome } from '../../core/token/federation.ts';

export interface FederationSource {
  readonly issuer: string;
  readonly settings: FederationSettings;
  readonly calls: DynamoDbCalls;
  readonly clients: ClientReader;
  readonly clock: Clock;
  /** Of the local run and of tests. No stack sets it. */
  readonly guard?: Pick<GuardedFetchOptions, 'allowLoopback' | 'ca'> | undefined;
}

/** Errors of this file's classes, as values. Others are those of the file that loads this one. */
function toOutcome(error: unknown): Outcome<never> {
  if (error instanceof AssertionRefusal || error instanceof OAuthError) {
    const { reason, code, description, outcome } = error;
    return { refusal: { reason, code, description, outcome } };
  }
  if (error instanceof TooManyFailuresError) return { retryAfter: error.retryAfter };
  if (error instanceof UnavailableError) return { unavailable: error.message };
  throw error;
}

/**
 * What decides about requests with an assertion. It is a file of its own, which the token function
 * loads when the first of them arrives: nothing here may count on the classes of `index.js`.
 */
export function createFederation(source: FederationSource): Federation {
  const { identityProvidersTable, allowLoopback, clientKeys, ...settings } = source.settings;
  const { issuer } = source;
  const guard = { allowLoopback, ...source.guard };
  const fetchKeys = createGuardedFetch({ ...guard, timeout: assertionFetchTimeout });
  const identityProviders = holdProviders(
    createDynamoDbIdentityProviderReader(source.calls, identityProvidersTable),
  );
  const workloads = new WorkloadAuthentication(
    {
      clients: source.clients,
      identityProviders,
      jwks: createKeyCache(createFetchProviderKeys(fetchKeys), {
        clock: source.clock,
        isFunction: true,
        identityProviders,
      }),
    },
    { ...settings, issuer, keysOnly: clientKeys?.only, clientKeys },
  );
  return async (request, values) => {
    try {
      return { found: await workloads.authenticate(request, values) };
    } catch (error) {
      return toOutcome(error);
    }
  };
}
