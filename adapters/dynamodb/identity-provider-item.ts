import * as v from 'valibot';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toItem,
  urlText,
} from './item.ts';

/** Many times the size of the JWA registry. A longer list is not a list of algorithms. */
const maxAlgorithms = 50;

export const identityProviderSchema = v.strictObject({
  issuer: urlText,
  schema_version: schemaVersion,
  registration_id: text,
  discovery_url: urlText,
  jwks_uri: urlText,
  allowed_algorithms: v.pipe(v.array(text), v.minLength(1), v.maxLength(maxAlgorithms)),
  client_id_claim: v.optional(text),
  audience_from: v.optional(v.literal('scope')),
  client_patterns: v.optional(v.literal(true)),
  registered_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseIdentityProviderItem(item: Item): IdentityProvider {
  const record = parseItem(identityProviderSchema, item, 'identity provider', 'issuer');
  return {
    issuer: record.issuer,
    registrationId: record.registration_id,
    discoveryUrl: record.discovery_url,
    jwksUri: record.jwks_uri,
    allowedAlgorithms: record.allowed_algorithms,
    clientIdClaim: record.client_id_claim,
    audienceFrom: record.audience_from,
    clientPatterns: record.client_patterns,
    registeredAt: record.registered_at,
  };
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toIdentityProviderItem(provider: IdentityProvider): Item {
  const item = toItem({
    issuer: provider.issuer,
    schema_version: 1,
    registration_id: provider.registrationId,
    discovery_url: provider.discoveryUrl,
    jwks_uri: provider.jwksUri,
    allowed_algorithms: [...provider.allowedAlgorithms],
    client_id_claim: provider.clientIdClaim,
    audience_from: provider.audienceFrom,
    client_patterns: provider.clientPatterns,
    registered_at: provider.registeredAt,
  } satisfies v.InferInput<typeof identityProviderSchema>);
  parseIdentityProviderItem(item);
  return item;
}
