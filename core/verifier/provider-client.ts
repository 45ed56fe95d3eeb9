import type { JsonObject } from '../../contract/json-object.ts';
import { findUnmetCondition, readClaim } from '../client/claim-condition.ts';
import type { CheckedClient } from '../client/client.ts';
import { deriveProviderClientId, patternsOf } from '../client/provider-client-id.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import type { PortOptions } from '../port.ts';
import { type BearerRefusal, refuseBearer, stopsFinding } from './bearer-refusal.ts';

/** @throws {BearerRefusal} if something stops the provider, with its clients. */
export function checkProvider(provider: IdentityProvider): IdentityProvider {
  const { stops, issuer } = provider;
  if (stops === undefined) return provider;
  throw refuseBearer('provider_stopped', () => stopsFinding(stops), { issuer });
}

/** The client must be one of this very registration, so that a new one adopts no old clients. */
function isOfProvider<Found extends CheckedClient>(
  client: Found | undefined,
  provider: IdentityProvider,
  externalClientId: string,
): client is Found {
  const at = client?.provider;
  return (
    at?.issuer === provider.issuer &&
    at.registrationId === provider.registrationId &&
    at.externalClientId === externalClientId
  );
}

/** There is no client with this id at the provider. */
export function refuseUnknown(provider: IdentityProvider, externalClientId: string): BearerRefusal {
  const finding = {
    name: 'external client id',
    received: externalClientId,
    expected: `a client that was created under the present registration of ${provider.issuer}`,
  };
  return refuseBearer('client_unknown', () => finding, { issuer: provider.issuer });
}

/**
 * Finds the client that a provider's token belongs to. The exact id is looked up first. If the
 * registration allows patterns, the patterns that could match follow, the most specific one first.
 * The first client that is found decides; a broader one is not tried after it.
 *
 * @throws {BearerRefusal} if there is no such client.
 * @throws {UnavailableError} if the client cannot be read.
 */
export async function getProviderClient<Found extends CheckedClient>(
  clients: { findClient(id: string, options?: PortOptions): Promise<Found | undefined> },
  provider: IdentityProvider,
  externalClientId: string,
  options: PortOptions,
): Promise<Found> {
  const patterns = provider.clientPatterns === true ? patternsOf(externalClientId) : [];
  for (const id of [externalClientId, ...patterns]) {
    const found = await clients.findClient(deriveProviderClientId(provider.issuer, id), options);
    if (isOfProvider(found, provider, id)) return found;
  }
  throw refuseUnknown(provider, externalClientId);
}

/** @throws {BearerRefusal} if the token lacks a claim that the client's record requires. */
export function checkConditions(client: CheckedClient, claims: JsonObject): void {
  const unmet = findUnmetCondition(claims, client.provider?.conditions ?? []);
  if (unmet === undefined) return;
  const { clientId, serviceTrunkGroup, provider } = client;
  const { claim, values } = unmet;
  const finding = () => ({
    name: claim,
    received: readClaim(claims, claim),
    expected: values.join(' or '),
    serviceTrunkGroup,
  });
  throw refuseBearer('client_condition_unmet', finding, {
    clientId,
    ...(provider && { issuer: provider.issuer }),
  });
}
