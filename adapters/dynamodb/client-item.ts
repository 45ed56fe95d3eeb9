import * as v from 'valibot';
import {
  maxAudienceLength,
  maxAudiencesPerClient,
  maxClaimConditions,
  maxClaimConditionValues,
  maxNameLength,
  maxScopesPerClient,
  maxSecretsPerClient,
  maxServiceTrunkGroupLength,
  maxTokenLifetime,
} from '../../contract/limits.ts';
import { isScopeToken } from '../../contract/scopes.ts';
import type { CheckedClient, Client, ClientSecret } from '../../core/client/client.ts';
import {
  epochSeconds,
  hashText,
  type Item,
  mapOf,
  parseItem,
  schemaVersion,
  text,
  textUpTo,
  toItem,
  urlText,
  version,
  wholeNumber,
} from './item.ts';

const name = textUpTo(maxNameLength);

/**
 * Stands before the hash of a disabled secret, so no value matches it, also in a release that does
 * not know disabled secrets. No attribute is added, so such a release reads the item.
 */
const disabledPrefix = 'disabled$';

const secretSchema = v.strictObject({
  hash: hashText,
  name: v.optional(name),
  created_at: epochSeconds,
  expires_at: v.optional(epochSeconds),
  last_used_on: v.optional(v.pipe(v.string(), v.isoDate())),
});

const condition = v.strictObject({
  claim: text,
  values: v.pipe(v.array(text), v.minLength(1), v.maxLength(maxClaimConditionValues)),
});

export type SecretAttributes = v.InferOutput<typeof secretSchema>;

/** What a platform API reads of a client: `checkedClientAttributes` of the contract. */
export const checkedClientEntries = {
  client_id: text,
  schema_version: schemaVersion,
  service_trunk_group: textUpTo(maxServiceTrunkGroupLength),
  audiences: v.pipe(v.array(textUpTo(maxAudienceLength)), v.maxLength(maxAudiencesPerClient)),
  scopes: v.pipe(
    v.array(v.pipe(v.string(), v.check(isScopeToken, 'a scope token'))),
    v.maxLength(maxScopesPerClient),
  ),
  enabled: v.boolean(),
  provider: v.optional(
    v.strictObject({
      issuer: urlText,
      registration_id: text,
      external_client_id: text,
      conditions: v.optional(v.pipe(v.array(condition), v.maxLength(maxClaimConditions))),
    }),
  ),
  tokens_not_before: v.optional(epochSeconds),
};

export const clientSchema = v.pipe(
  v.strictObject({
    ...checkedClientEntries,
    name,
    token_lifetime: wholeNumber(1, maxTokenLifetime),
    /** By secret id, so one path records the use of one secret. */
    secrets: mapOf(secretSchema, maxSecretsPerClient),
    version,
    created_at: epochSeconds,
    updated_at: epochSeconds,
  }),
  v.check(
    (item) => item.provider === undefined || Object.keys(item.secrets).length === 0,
    'no secrets under a provider',
  ),
);

export type ClientAttributes = v.InferOutput<typeof clientSchema>;

/** A map has no order. Secrets that were created in the same second are sorted by name. */
function compareSecrets(a: ClientSecret, b: ClientSecret): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  const [nameA = '', nameB = ''] = [a.name, b.name];
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a.secretId < b.secretId ? -1 : 1;
}

/** The hash, and whether it is that of a disabled secret. */
function toHash(stored: string): Pick<ClientSecret, 'hash' | 'disabled'> {
  const hash = stored.replace(disabledPrefix, '');
  return { hash, disabled: hash !== stored || undefined };
}

function toSecrets(attributes: ClientAttributes['secrets']): readonly ClientSecret[] {
  return Object.entries(attributes)
    .map(([secretId, secret]) => ({
      secretId,
      ...toHash(secret.hash),
      name: secret.name,
      createdAt: secret.created_at,
      expiresAt: secret.expires_at,
      lastUsedOn: secret.last_used_on,
    }))
    .sort(compareSecrets);
}

export function toCheckedClient(
  item: Pick<ClientAttributes, keyof typeof checkedClientEntries>,
): CheckedClient {
  const { provider } = item;
  return {
    clientId: item.client_id,
    serviceTrunkGroup: item.service_trunk_group,
    audiences: item.audiences,
    scopes: item.scopes,
    enabled: item.enabled,
    provider: provider && {
      issuer: provider.issuer,
      registrationId: provider.registration_id,
      externalClientId: provider.external_client_id,
      conditions: provider.conditions,
    },
    tokensNotBefore: item.tokens_not_before,
  };
}

/** The oldest secret comes first. */
export function toClient(item: ClientAttributes): Client {
  return {
    ...toCheckedClient(item),
    name: item.name,
    tokenLifetime: item.token_lifetime,
    secrets: toSecrets(item.secrets),
    version: item.version,
    createdAt: item.created_at,
    updatedAt: item.updated_at,
  };
}

function fromSecret(secret: ClientSecret): SecretAttributes {
  return {
    hash: secret.disabled === true ? disabledPrefix + secret.hash : secret.hash,
    name: secret.name,
    created_at: secret.createdAt,
    expires_at: secret.expiresAt,
    last_used_on: secret.lastUsedOn,
  };
}

export function fromClient(client: Client): ClientAttributes {
  const { provider } = client;
  return {
    client_id: client.clientId,
    schema_version: 1,
    name: client.name,
    service_trunk_group: client.serviceTrunkGroup,
    audiences: [...client.audiences],
    token_lifetime: client.tokenLifetime,
    scopes: [...client.scopes],
    enabled: client.enabled,
    secrets: Object.fromEntries(
      client.secrets.map((secret) => [secret.secretId, fromSecret(secret)]),
    ),
    provider: provider && {
      issuer: provider.issuer,
      registration_id: provider.registrationId,
      external_client_id: provider.externalClientId,
      conditions: provider.conditions?.map(({ claim, values }) => ({
        claim,
        values: [...values],
      })),
    },
    tokens_not_before: client.tokensNotBefore,
    version: client.version,
    created_at: client.createdAt,
    updated_at: client.updatedAt,
  };
}

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseClientItem(item: Item): ClientAttributes {
  return parseItem(clientSchema, item, 'client', 'client_id');
}

/** @throws {MalformedRecordError} if the item could not be read again. It is then not written. */
export function toClientItem(client: Client): Item {
  const item = toItem(fromClient(client));
  parseClientItem(item);
  return item;
}
