import * as v from 'valibot';
import { maxProviderLeeway } from '../../contract/limits.ts';
import { tables } from '../../contract/tables.ts';
import type {
  IdentityProvider,
  IdentityProviderReader,
} from '../../core/identity-provider/identity-provider.ts';
import type { DynamoDbCalls } from './dynamodb-calls.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  toAttributes,
  toReadableItem,
  toRecord,
  urlText,
} from './item.ts';
import { createFind } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

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
  owned: v.optional(v.literal(true)),
  owned_by: v.optional(text),
  leeway: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxProviderLeeway))),
  registered_at: epochSeconds,
});

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseIdentityProviderItem(item: Item): IdentityProvider {
  const { schema_version: _, ...provider } = parseItem(
    identityProviderSchema,
    item,
    'identity provider',
    'issuer',
  );
  return toRecord(provider);
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toIdentityProviderItem(provider: IdentityProvider): Item {
  return toReadableItem(parseIdentityProviderItem, {
    ...toAttributes(provider),
    schema_version: 1,
    allowed_algorithms: [...provider.allowedAlgorithms],
  } satisfies v.InferInput<typeof identityProviderSchema>);
}

/** What the verifier needs of identity providers in DynamoDB. */
export function createDynamoDbIdentityProviderReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): IdentityProviderReader {
  const { partitionKey } = tables.identityProviders;
  const kind = { table, partitionKey, parse: parseIdentityProviderItem };
  return { findIdentityProvider: createFind(calls, kind, store) };
}
