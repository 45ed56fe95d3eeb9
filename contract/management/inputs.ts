import * as v from 'valibot';
import { isJsonObject } from '../json-object.ts';

/**
 * What the operations of management accept, by shape. The rules about values, such as which scopes
 * there are, are the library's. A field that is not known is refused.
 */

export const list = <T extends v.GenericSchema>(item: T) => v.pipe(v.array(item), v.readonly());

/** An object with no other fields, which the issue about another one names. */
export function exactly<const Entries extends v.ObjectEntries>(entries: Entries) {
  const fields = Object.keys(entries) as readonly (keyof Entries & string)[];
  const names: readonly string[] = fields;
  const object = v.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'an object');
  const known = v.rawCheck<Readonly<Record<string, unknown>>>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const key = Object.keys(value).find((name) => !names.includes(name));
    if (key === undefined) return;
    const path = { type: 'object', origin: 'key', input: value, key, value: value[key] } as const;
    addIssue({ message: names.join(', '), path: [path] });
  });
  return Object.assign(v.pipe(object, known, v.object(entries)), { fields });
}

const text = v.string();
const optionalText = v.optional(text);
const optionalFlag = v.optional(v.boolean());
/** Seconds, or seconds since the epoch. */
const seconds = v.number();

const ifVersion = v.optional(v.number());
const idempotencyKey = optionalText;

export const versionOptions = exactly({ ifVersion });

const page = { limit: v.optional(v.number()), cursor: optionalText };

const ownedItems = {
  ...page,
  trunkGroup: optionalText,
  text: optionalText,
  enabled: optionalFlag,
  withRecent: optionalFlag,
};

const claimConditions = list(exactly({ claim: text, values: list(text) }));

export const newClient = exactly({
  name: text,
  serviceTrunkGroup: text,
  scopes: list(text),
  audiences: v.optional(list(text)),
  tokenLifetime: v.optional(seconds),
  provider: optionalText,
  externalClientId: optionalText,
  requiredClaims: v.optional(claimConditions),
  allowUserTokens: optionalFlag,
  idempotencyKey,
});

export const clientsFilter = exactly({
  ...ownedItems,
  provider: optionalText,
  expiresWithin: v.optional(seconds),
  unusedFor: v.optional(seconds),
  needsAttention: optionalFlag,
  allowsUserTokens: optionalFlag,
});

export const expiringFilter = exactly({ ...page, trunkGroup: optionalText });

export const clientChanges = exactly({
  name: optionalText,
  scopes: v.optional(list(text)),
  addScopes: v.optional(list(text)),
  removeScopes: v.optional(list(text)),
  audiences: v.optional(list(text)),
  tokenLifetime: v.optional(seconds),
  requiredClaims: v.optional(claimConditions),
  ifVersion,
});

const secretFields = {
  name: optionalText,
  expiresAt: v.optional(seconds),
  idempotencyKey,
  ifVersion,
};

export const newSecret = exactly(secretFields);

export const rotatedSecret = exactly({ ...secretFields, overlap: seconds });

export const secretChanges = exactly({
  name: optionalText,
  /** Null: never. */
  expiresAt: v.optional(v.nullable(seconds)),
  ifVersion,
});

const subnetFields = {
  name: text,
  address: text,
  netmask: v.optional(v.union([text, v.number()])),
};

export const newSubnet = exactly({ ...subnetFields, ifVersion });

export const newApiKey = exactly({
  name: text,
  serviceTrunkGroup: text,
  enabled: optionalFlag,
  subnets: v.optional(list(exactly(subnetFields))),
  idempotencyKey,
});

export const apiKeysFilter = exactly({ ...ownedItems, anySource: optionalFlag });

export const removeSubnetOptions = exactly({ allowAnySource: optionalFlag, ifVersion });

/** Each limit that is left out does not exist. */
export const grantLimits = {
  /** Scopes that may be granted. Empty: none. */
  scopes: v.optional(list(text)),
  maxClients: v.optional(v.number()),
  /** Zero: no API key may be created. */
  maxApiKeys: v.optional(v.number()),
  maxTokenLifetime: v.optional(seconds),
  /** Seconds that a secret may have left. */
  maxSecretLifetime: v.optional(seconds),
  /** Whether every API key must have a subnet, and none wider than `requiredSubnetPrefix`. */
  requireSubnet: optionalFlag,
  /** Issuers of the registered providers under which clients may be created. Empty: none. */
  providers: v.optional(list(text)),
  /** Providers that the trunk group may register for itself. Left out: none. */
  ownProviders: v.optional(v.number()),
};

export const proposedLimits = exactly(grantLimits);

export const newLimits = exactly({ ...grantLimits, ifVersion });

export const limitsFilter = exactly(page);

const providerChoices = {
  clientIdClaim: optionalText,
  allowUserWritableClaim: optionalFlag,
  audienceFrom: optionalText,
  allowClientPatterns: optionalFlag,
};

export const inspectOptions = exactly({
  ...providerChoices,
  tokens: v.optional(list(text)),
});

export const registerOptions = exactly({
  ...providerChoices,
  ifIssuer: optionalText,
  ifJwksUri: optionalText,
  trunkGroups: v.optional(list(text)),
});

export const providerTrunkGroups = exactly({ trunkGroups: list(text), ifVersion });

export const deleteProviderOptions = exactly({
  ...page,
  cascade: optionalFlag,
  ifRegistration: optionalText,
});

export const tokenQuestion = exactly({
  clientId: text,
  scope: optionalText,
  resource: optionalText,
});

export const requestQuestion = exactly({
  credential: text,
  sourceAddress: optionalText,
  scopes: v.optional(list(text)),
  audience: optionalText,
  issuer: optionalText,
});

export const auditFilter = exactly({ ...page, day: optionalText, text: optionalText });

export const historyFilter = exactly({ since: optionalText, cursor: optionalText });
