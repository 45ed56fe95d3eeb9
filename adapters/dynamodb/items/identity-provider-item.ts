import * as v from 'valibot';
import { maxGivenKeys, maxProviderLeeway } from '../../../contract/bounds.ts';
import { tables } from '../../../contract/tables.ts';
import { givenKeysUri } from '../../../core/identity-provider/given-keys.ts';
import type {
  GivenKeys,
  IdentityProvider,
  IdentityProviderReader,
} from '../../../core/identity-provider/identity-provider.ts';
import type { DynamoDbCalls } from '../clients/dynamodb-calls.ts';
import { createFind, type StoreOptions } from '../stores/read-items.ts';
import {
  epochSeconds,
  type Item,
  parseItem,
  schemaVersion,
  text,
  textUpTo,
  toAttributes,
  toReadableItem,
  toRecord,
  urlText,
  version,
  wholeNumber,
} from './item.ts';
import { stops } from './stops.ts';

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
  leeway: v.optional(wholeNumber(0, maxProviderLeeway)),
  stops,
  registered_at: epochSeconds,
});

export function parseIdentityProviderItem(item: Item): IdentityProvider {
  const { schema_version: _, ...provider } = parseItem(
    identityProviderSchema,
    item,
    'identity provider',
    'issuer',
  );
  return toRecord(provider);
}

export function toIdentityProviderItem(provider: IdentityProvider): Item {
  return toReadableItem(parseIdentityProviderItem, {
    ...toAttributes(provider),
    schema_version: 1,
    allowed_algorithms: [...provider.allowedAlgorithms],
  } satisfies v.InferInput<typeof identityProviderSchema>);
}

/** Keys have a fragment in their key, so that no registration is one and platform APIs may read them. */
export const givenKeysSchema = v.strictObject({
  issuer: v.pipe(urlText, v.endsWith(givenKeysUri(''))),
  schema_version: schemaVersion,
  registration_id: text,
  jwks: textUpTo(maxGivenKeys),
  version,
  updated_at: epochSeconds,
});

export function isGivenKeysItem({ issuer }: Item): boolean {
  return String(issuer).endsWith(givenKeysUri(''));
}

export function parseGivenKeysItem(item: Item): GivenKeys {
  const {
    schema_version: _,
    issuer,
    ...keys
  } = parseItem(givenKeysSchema, item, 'keys of a provider', 'issuer');
  return { ...toRecord(keys), issuer: issuer.slice(0, -givenKeysUri('').length) };
}

export function toGivenKeysItem(keys: GivenKeys): Item {
  const issuer = givenKeysUri(keys.issuer);
  return toReadableItem(parseGivenKeysItem, { ...toAttributes(keys), issuer, schema_version: 1 });
}

/** What the verifier needs of identity providers in DynamoDB. */
export function createDynamoDbIdentityProviderReader(
  calls: DynamoDbCalls,
  table: string,
  store: StoreOptions = {},
): Required<IdentityProviderReader> {
  const { partitionKey } = tables.identityProviders;
  const kind = { table, partitionKey, parse: parseIdentityProviderItem };
  const findKeys = createFind(calls, { ...kind, parse: parseGivenKeysItem }, store);
  return {
    findIdentityProvider: createFind(calls, kind, store),
    findGivenKeys: (issuer) => findKeys(givenKeysUri(issuer)),
  };
}
