import * as v from 'valibot';
import {
  maxAudienceLength,
  maxAudiencesPerClient,
  maxClaimConditions,
  maxClaimConditionValues,
  maxClientIdLength,
  maxNameLength,
  maxScopesPerClient,
  maxSecretsPerClient,
  maxServiceTrunkGroupLength,
  maxStackEvents,
  maxTokenLifetime,
} from '../../../contract/bounds.ts';
import { isScopeToken } from '../../../contract/scopes.ts';
import { importedIdAttribute, lastUseAttribute } from '../../../contract/tables.ts';
import type { CheckedClient, Client, ClientSecret } from '../../../core/client/client.ts';
import { itemKeyOf } from '../../../core/client/provider-client-id.ts';
import {
  epochSeconds,
  hashText,
  type Item,
  mapOf,
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

const name = textUpTo(maxNameLength);

const day = v.pipe(v.string(), v.isoDate());

/** A modulus of 4,096 bits in base64url. */
const publicKeyText = textUpTo(683);

const secretSchema = v.pipe(
  v.strictObject({
    hash: v.optional(hashText),
    /** A public key instead. */
    public_key: v.optional(publicKeyText),
    /** A key with one of a later release authenticates no one, and its client is still read. */
    alg: v.optional(text),
    name: v.optional(name),
    created_at: epochSeconds,
    expires_at: v.optional(epochSeconds),
    last_used_on: v.optional(day),
    stops,
    imported: v.optional(v.literal(true)),
  }),
  v.check((item) => !item.hash !== !item.public_key, 'a hash, or a key'),
);

const condition = v.strictObject({
  claim: text,
  values: v.pipe(v.array(text), v.minLength(1), v.maxLength(maxClaimConditionValues)),
});

export type SecretAttributes = v.InferOutput<typeof secretSchema>;

export const scopeTokens = v.pipe(
  v.array(v.pipe(v.string(), v.check(isScopeToken, 'a scope token'))),
  v.maxLength(maxScopesPerClient),
);

/** What a platform API reads of a client: `checkedClientAttributes` of the contract. */
export const checkedClientEntries = {
  client_id: text,
  schema_version: schemaVersion,
  service_trunk_group: textUpTo(maxServiceTrunkGroupLength),
  audiences: v.pipe(v.array(textUpTo(maxAudienceLength)), v.maxLength(maxAudiencesPerClient)),
  scopes: scopeTokens,
  stops,
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

const declaredSchema = v.strictObject({
  stack_id: text,
  logical_id: text,
  events: v.pipe(
    v.array(v.strictObject({ id: text, at: epochSeconds })),
    v.maxLength(maxStackEvents),
  ),
  undeclared_at: v.optional(epochSeconds),
  taken_over_at: v.optional(epochSeconds),
});

export const clientSchema = v.pipe(
  v.strictObject({
    ...checkedClientEntries,
    name,
    declared: v.optional(declaredSchema),
    token_lifetime: wholeNumber(1, maxTokenLifetime),
    [importedIdAttribute]: v.optional(textUpTo(maxClientIdLength)),
    import_id: v.optional(text),
    /** By secret id, so one path records the use of one secret. */
    secrets: mapOf(secretSchema, maxSecretsPerClient),
    [lastUseAttribute]: v.optional(day),
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

function toSecrets(attributes: ClientAttributes['secrets']): readonly ClientSecret[] {
  return Object.entries(attributes)
    .map(([secretId, secret]) => ({ secretId, ...toRecord(secret) }))
    .sort(compareSecrets);
}

type CheckedAttributes = Pick<ClientAttributes, keyof typeof checkedClientEntries>;

function withProvider<T extends CheckedAttributes>(item: T) {
  const { schema_version: _, provider, ...client } = item;
  return { ...toRecord(client), provider: provider && toRecord(provider) };
}

export function toCheckedClient(item: CheckedAttributes): CheckedClient {
  return withProvider(item);
}

/** The oldest secret comes first. */
export function toClient(attributes: ClientAttributes): Client {
  const { secrets, declared, [importedIdAttribute]: importedId, ...item } = attributes;
  return {
    ...withProvider(item),
    clientId: importedId ?? item.client_id,
    declared: declared && toRecord(declared),
    secrets: toSecrets(secrets),
  };
}

function fromSecret(secret: ClientSecret): SecretAttributes {
  const { secretId: _, ...attributes } = secret;
  return toAttributes(attributes);
}

export function fromClient(client: Client): ClientAttributes {
  const { clientId, provider, declared } = client;
  const key = itemKeyOf(clientId);
  return {
    ...toAttributes(client),
    client_id: key,
    [importedIdAttribute]: key === clientId ? undefined : clientId,
    schema_version: 1,
    audiences: [...client.audiences],
    scopes: [...client.scopes],
    secrets: Object.fromEntries(
      client.secrets.map((secret) => [secret.secretId, fromSecret(secret)]),
    ),
    declared: declared && { ...toAttributes(declared), events: [...declared.events] },
    provider: provider && {
      ...toAttributes(provider),
      conditions: provider.conditions?.map(({ claim, values }) => ({ claim, values: [...values] })),
    },
  };
}

export function parseClientItem(item: Item): ClientAttributes {
  return parseItem(clientSchema, item, 'client', 'client_id');
}

export function toClientItem(client: Client): Item {
  return toReadableItem(parseClientItem, fromClient(client));
}
