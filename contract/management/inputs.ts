import * as v from 'valibot';
import {
  maxGivenKeys,
  maxLimitedItems,
  maxLimitProviders,
  maxOwnProviders,
  maxProviderLeeway,
  maxSubnetsPerApiKey,
  minTokenLifetime,
  secondsPerDay,
  verifierLeeway,
} from '../bounds.ts';
import { clientKeyAlgs } from '../proof-algorithms.ts';
import {
  exactly,
  type FieldValues,
  field,
  flag,
  givenList,
  oneOf,
  orNone,
  type RuleFacts,
  secretText,
  text,
  Wrong,
  type WrongFields,
  whole,
  wholeProblem,
  wrong,
} from './fields.ts';
import * as rule from './rules.ts';

/**
 * What the operations of management accept: each field with its meaning, its unit and its rule. Types,
 * checks and messages follow from it. A rule that depends on what is stored is the operation's.
 */

const ifVersion = {
  /** The `version` that the decision was based on. If left out, the change is made anyway. */
  ifVersion: v.optional(rule.version(1)),
};

const ifStoredVersion = {
  /** The same. Zero: nothing is stored. */
  ifVersion: v.optional(rule.version(0)),
};

const idempotencyKey = {
  /** A second call with the same key finds what the first one created. */
  idempotencyKey: v.optional(rule.idempotencyKey),
};

export const versionOptions = exactly(ifVersion);

/** Of every list that is read in pages. */
export const page = {
  /** Most items of the page, 1 to 500; 500 if left out. */
  limit: v.optional(rule.pageSize),
  /** `nextCursor` of the page before; the first page if left out. */
  cursor: v.optional(rule.cursor),
};

const ownedItems = {
  ...page,
  trunkGroup: v.optional(rule.trunkGroup),
  /** Text in the name or the id, of a client's secrets as well, in any case. */
  text: v.optional(rule.searched),
  enabled: v.optional(flag),
  /** Seconds within which a secret of the client, or an enabled key, expires. */
  expiresWithin: v.optional(rule.duration),
};

const audiencesOfClient = {
  /** Of its tokens, the default first. Empty: the deployment's default audience. */
  audiences: v.optional(rule.audiences),
};

/** What is wrong with the fields of a new client together. */
function checkProvider(client: FieldValues): WrongFields {
  const { provider, externalClientId: id, audiences } = client;
  const { requiredClaims, allowUserTokens, allowOtherGrant } = client;
  const found: [string, Wrong][] = [];
  const choices = requiredClaims ?? allowUserTokens ?? allowOtherGrant;
  const isUnder = (provider ?? id ?? choices) !== undefined;
  if (isUnder && provider === undefined) {
    found.push(['provider', new Wrong({ message: 'the issuer of a registered provider' })]);
  }
  if (isUnder && id === undefined) {
    found.push(['externalClientId', new Wrong({ message: "the client's id at the provider" })]);
  }
  const isOfTexts = Array.isArray(audiences) && audiences.every((one) => typeof one === 'string');
  const ownId = typeof id === 'string' ? id : undefined;
  if (isOfTexts && isUnder === (ownId !== undefined)) {
    const audience = rule.findWrongAudience(audiences, ownId);
    if (audience !== undefined) found.push(['audiences', audience]);
  }
  return found;
}

/**
 * What a client has as it was given, and may be given again; null in a change: as if it was never given.
 * Options, lines, forms, rows, columns, views, results, restores, imports and stacks follow from this and
 * from `clientWords`.
 */
export const plainClientEntries = {
  /** Seconds. The deployment's default if a creation leaves it out. */
  tokenLifetime: v.optional(rule.tokenLifetime),
};

export type PlainClientField = keyof typeof plainClientEntries;

/** The names of what a client has as it was given. */
export const plainClientFields = Object.keys(plainClientEntries) as readonly PlainClientField[];

/** What every new client has. */
const newEntries = {
  name: rule.newName,
  serviceTrunkGroup: rule.ownTrunkGroup,
  scopes: rule.ownScopes,
  ...audiencesOfClient,
  ...plainClientEntries,
};

export const newClient = exactly(
  {
    ...newEntries,
    /** Issuer of the registered provider that the client is under. Needs `externalClientId`. */
    provider: v.optional(rule.issuer),
    /** The client's id there; a pattern if the provider was registered with patterns. */
    externalClientId: v.optional(rule.externalClientId),
    /** What else a token of the provider must say. Needs `provider`. */
    requiredClaims: v.optional(rule.claimConditions),
    /**
     * Creates it without the rule that refuses tokens of people, see `findApplicationRule`. Left out:
     * if the provider's platform is known and no required claim is such a rule, the rule is added.
     */
    allowUserTokens: v.optional(flag),
    /**
     * Creates it although its id at the provider is granted to another trunk group. Only a caller who
     * is not restricted to trunk groups may say so.
     */
    allowOtherGrant: v.optional(flag),
    ...idempotencyKey,
  },
  checkProvider,
);

/** A client of another provider, with its id and its secret there. */
export const importedClient = exactly(
  {
    clientId: rule.importedClientId,
    secret: rule.importedSecret,
    /** Of a client that has two: its provider lists neither, so a person adds it. */
    secondSecret: v.optional(rule.importedSecret),
    /** When the secret expires there. Here it expires no later. */
    expiresAt: v.optional(rule.expiry),
    ...newEntries,
    /** Which import makes it: `import_` and 22 letters and digits. */
    importId: v.optional(rule.id('import')),
    /** Decides, and writes nothing. */
    checkOnly: v.optional(flag),
  },
  (client) => {
    const chosen = (['secret', 'secondSecret'] as const).flatMap((name) => {
      const wrong = rule.findOwnWord({ ...client, secret: client[name] });
      return wrong === undefined ? [] : [[name, wrong] as const];
    });
    return [...checkProvider(client), ...chosen];
  },
);

export type NewClient = v.InferOutput<typeof newClient>;

/** A field that says something about a new client. */
export type ClientField = Exclude<keyof NewClient, 'idempotencyKey'>;

export const clientsFilter = exactly({
  ...ownedItems,
  /** Issuer of the registered provider that the clients are under. */
  provider: v.optional(rule.issuer),
  /** Seconds for which a secret of the client was not used. */
  unusedFor: v.optional(rule.duration),
  /** Whether a secret of the client needs attention: see `findSecretConcern`. */
  needsAttention: v.optional(flag),
  /**
   * Whether the client is under a provider and has no rule that refuses tokens which the provider
   * issued for people: see `hasApplicationRule`.
   */
  allowsUserTokens: v.optional(flag),
  /** The import that made the client. */
  importId: v.optional(rule.id('import')),
  /** Whether a stack declares the client. */
  declared: v.optional(flag),
  /** Seconds for which no stack has declared a client that one had declared. */
  undeclaredFor: v.optional(rule.duration),
});

/** The fields of a client that can change. Its trunk group, provider and id there identify it. */
export const clientChanges = exactly({
  name: v.optional(rule.name),
  scopes: v.optional(rule.scopes),
  addScopes: v.optional(rule.scopes),
  /** Also scopes that are no longer in the catalogue. */
  removeScopes: v.optional(givenList(text('a scope of the client'))),
  ...audiencesOfClient,
  ...orNone(plainClientEntries),
  /** Of a client under a provider: what else its tokens must say. Replaces all; empty: nothing. */
  requiredClaims: v.optional(rule.claimConditions),
  /** Takes a client over from the stack that declares it: from now on, people change it. */
  takeOver: v.optional(flag),
  ...ifVersion,
});

/** `ifVersion` is the version of the client that the secret belongs to. */
const secretFields = {
  name: v.optional(rule.newName),
  /** A public key in place of a secret: a JWK, or PEM as OpenSSL writes it. */
  publicKey: v.optional(secretText('a public key: a JWK, or PEM')),
  /** What the key signs with, if its JWK does not say it. The usual one of its type if left out. */
  alg: v.optional(oneOf(clientKeyAlgs, ', ')),
  /** Seconds since the epoch; never if left out. */
  expiresAt: v.optional(rule.expiry),
  ...idempotencyKey,
  ...ifVersion,
};

function checkAlg({ publicKey, alg }: FieldValues): WrongFields {
  const message = 'no value without a public key';
  return publicKey === undefined && alg !== undefined ? [['alg', new Wrong({ message })]] : [];
}

export const newSecret = exactly(secretFields, checkAlg);

/** A secret replaces the secrets of its client, a key the keys. */
export const rotatedSecret = exactly(
  {
    ...secretFields,
    /** Seconds for which the old ones continue to work; with 0 they expire at once. */
    overlap: rule.overlap,
  },
  checkAlg,
);

/** `ifVersion` is the version of the client that the secret belongs to. */
export const secretChanges = exactly({
  name: v.optional(rule.name),
  ...orNone({
    /** Seconds since the epoch; null: never. */
    expiresAt: rule.expiry,
  }),
  ...ifVersion,
});

const netmaskHelp = 'a netmask such as 255.255.255.0, or a prefix length such as 24';

const subnetFields = {
  name: rule.newName,
  /** `203.0.113.0`, or with its prefix `203.0.113.0/24`. IPv4 or IPv6. */
  address: text('an IPv4 or IPv6 address, e.g. 203.0.113.0 or 2001:db8::', (value) => value.trim()),
  /**
   * `255.255.255.0`, `24` or `/24`. Left out if the address has a prefix, or stands for itself.
   */
  netmask: v.optional(
    field<string | number>(netmaskHelp, (value) => {
      if (typeof value === 'string') return value.trim();
      return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : wrong;
    }),
  ),
};

function checkSubnet(
  { address, netmask }: FieldValues,
  { findWrongSubnet }: RuleFacts,
): WrongFields {
  if (typeof address !== 'string') return [];
  const isMask =
    netmask === undefined || typeof netmask === 'string' || typeof netmask === 'number';
  const found = isMask ? findWrongSubnet({ address, netmask }) : undefined;
  return found === undefined
    ? []
    : [[found.field, new Wrong({ expected: wholeProblem, message: found.problem })]];
}

export const newSubnet = exactly({ ...subnetFields, ...ifVersion }, checkSubnet);

export const newApiKey = exactly({
  name: rule.newName,
  serviceTrunkGroup: rule.ownTrunkGroup,
  /** True if left out. */
  enabled: v.optional(flag),
  /** Subnets that may use the key. None: every address. */
  subnets: v.optional(
    givenList(exactly(subnetFields, checkSubnet), undefined, maxSubnetsPerApiKey),
  ),
  /** The only scopes that it satisfies. Left out: every scope. */
  scopes: v.optional(rule.ownScopes),
  /** Seconds since the epoch; never if left out. */
  expiresAt: v.optional(rule.expiry),
  ...idempotencyKey,
});

/** Its id, its name, its scopes and its subnets stay. */
export const rotatedApiKey = exactly({
  /** Seconds for which the old value continues to work; with 0 it expires at once. */
  overlap: rule.overlap,
  /** The end of the key, in seconds since the epoch; as it is if left out. */
  expiresAt: v.optional(rule.expiry),
  ...idempotencyKey,
  ...ifVersion,
});

export const apiKeyChanges = exactly({
  name: v.optional(rule.name),
  /** Ends the values that rotations have replaced, at once. */
  endOldValues: v.optional(flag),
  ...orNone({
    /** The only scopes that it satisfies; null: every scope. */
    scopes: rule.ownScopes,
    /** Seconds since the epoch; null: never. */
    expiresAt: rule.expiry,
  }),
  ...ifVersion,
});

export const apiKeysFilter = exactly({
  ...ownedItems,
  /** Whether every address may use the key: it has no subnets. */
  anySource: v.optional(flag),
  /** Whether the days on which the keys were last used are read; true if left out. */
  withLastUse: v.optional(flag),
});

export const removeSubnetOptions = exactly({
  /** Whether the list may become empty. Then every address may use the key. */
  allowAnySource: v.optional(flag),
  ...ifVersion,
});

/** Longest life of a secret that a limit can name, in seconds: a hundred years. */
const maxSecretLimit = 36_500 * secondsPerDay;

/** Each limit that is left out does not exist. */
export const limitEntries = {
  /** Scopes that may be given. Empty: none. */
  scopes: v.optional(rule.scopes),
  maxClients: v.optional(whole(() => [0, maxLimitedItems])),
  /** Zero: no API key may be created. */
  maxApiKeys: v.optional(whole(() => [0, maxLimitedItems])),
  /** Seconds. */
  maxTokenLifetime: v.optional(
    rule.seconds(({ config }) => [minTokenLifetime, config.tokenLifetime.maximum]),
  ),
  /** Seconds that a secret may have left. A secret without an end has no such limit. */
  maxSecretLifetime: v.optional(rule.seconds(() => [1, maxSecretLimit])),
  /** The same of an API key. */
  maxApiKeyLifetime: v.optional(rule.seconds(() => [1, maxSecretLimit])),
  /** Whether every API key must have a subnet, and none wider than `requiredSubnetPrefix`. */
  requireSubnet: v.optional(flag),
  /** Whether every API key must have scopes, and only those that may be given. */
  requireApiKeyScopes: v.optional(flag),
  /** Issuers of the registered providers under which clients may be created. Empty: none. */
  providers: v.optional(
    givenList(rule.issuer, (issuers) =>
      rule.findTooMany([...new Set(issuers)], maxLimitProviders, 'providers'),
    ),
  ),
  /** Providers that the trunk group may register for itself. Left out: none. */
  ownProviders: v.optional(whole(() => [0, maxOwnProviders])),
};

export const proposedLimits = exactly(limitEntries);

export const newLimits = exactly({ ...limitEntries, ...ifStoredVersion });

export const limitsFilter = exactly(page);

export const claimNameHelp =
  'the name of a claim that says who the client is: 1 to 128 printable ASCII characters, and not one of the claims about the token itself, such as aud or jti';

/** The claims in which tokens of a provider name their audience. */
export const audienceSources = ['aud', 'scope'] as const;

/** What a person decides about a provider's tokens, as its documents do not say it. */
const providerChoices = {
  /** The claim that names the client. Left out: the first of `client_id`, `azp` and `sub`. */
  clientIdClaim: v.optional(text(claimNameHelp)),
  /**
   * Confirms a claim that is not known to be written only by the provider. If users of the
   * provider can write the claim, each of them can call as any client.
   */
  allowUserWritableClaim: v.optional(flag),
  /** `scope` for a provider whose access tokens have no `aud`, such as Amazon Cognito. */
  audienceFrom: v.optional(oneOf(audienceSources)),
  /** Whether ids of clients under it may be patterns, as for the jobs of a CI system. */
  allowClientPatterns: v.optional(flag),
  /**
   * Those of its algorithms that its tokens may have. A key without `alg` is for the only one that
   * fits its type (RFC 8725 §3.1). Left out: all that its discovery document lists.
   */
  algorithms: v.optional(givenList(text('one of the algorithms of the provider'))),
  /** Seconds by which its clock may differ at platform APIs. Left out: 10. */
  leeway: v.optional(rule.seconds(() => [verifierLeeway, maxProviderLeeway])),
};

export const discoveryUrl = text('an absolute https URL in plain ASCII');

export const inspectOptions = exactly({
  ...providerChoices,
  /** Tokens of the provider. What would be decided of each is in the result, in this order. */
  tokens: v.optional(givenList(secretText('access tokens'))),
});

/** Registers the provider only if its discovery document still says what the caller has seen. */
export const registerOptions = exactly({
  ...providerChoices,
  /**
   * The JWK set of a provider that is never fetched, as JSON: the URL is then its issuer. For the
   * platform's staff, if the config has `providerKeyFiles`.
   */
  jwks: v.optional(
    text('a JWK set as JSON, of at most 65,536 characters', (value) =>
      value.length <= maxGivenKeys ? value : new Wrong({ input: value.length }),
    ),
  ),
  /** With `jwks`: the version of the keys that these replace. The registration stays. */
  replacesVersion: v.optional(rule.version(0)),
  ifIssuer: v.optional(rule.issuer),
  ifJwksUri: v.optional(text('a URL')),
  /**
   * The service trunk groups that the provider is for, and no others. Left out: those of a restricted
   * caller that may have one; of another caller, the whole platform.
   */
  trunkGroups: v.optional(rule.ownTrunkGroups),
});

export const providerTrunkGroups = exactly({
  /** All of them. None: the platform's staff takes the provider over. */
  trunkGroups: rule.ownTrunkGroups,
  /** Of a takeover: the trunk groups whose clients under the provider stay. Left out: none. */
  keepClientsOf: v.optional(rule.trunkGroups),
  /** Of a takeover: confirms the claim that names the client, as a registration does. */
  allowUserWritableClaim: v.optional(flag),
  ...ifStoredVersion,
});

/** What becomes of a client of another trunk group whose id is granted. */
export const grantedClientActions = ['disable', 'delete', 'leave'] as const;

export const newSubjectGrant = exactly({
  /**
   * A client id at the provider, the value of its client id claim. One that ends at `/` or `:`
   * stands for every id that begins with it.
   */
  value: rule.externalClientId,
  /** Those that may create clients with such ids. None: the grant is withdrawn. */
  trunkGroups: rule.trunkGroups,
  /** Every client of another trunk group that has such an id, and what becomes of it. */
  clients: v.optional(
    givenList(exactly({ clientId: rule.clientId, action: oneOf(grantedClientActions, ', ') })),
  ),
  ...ifStoredVersion,
});

export const newIssuerGrant = exactly({
  /** Those that may register the issuer, and what is below its path. None: it is withdrawn. */
  trunkGroups: rule.trunkGroups,
  /** Issuers that other trunk groups have registered there, and that they keep. */
  leave: v.optional(givenList(rule.issuer)),
  ...ifStoredVersion,
});

export const grantsFilter = exactly({
  /** `subject`: client ids, by issuer. `issuer`: issuers that may be registered, by host. */
  kind: oneOf(['subject', 'issuer']),
  ...page,
});

export const grantCheckFilter = exactly({
  ...page,
  /** Only clients under this provider. */
  issuer: v.optional(rule.issuer),
});

export const deleteProviderOptions = exactly({
  ...page,
  /** Whether the clients under it are deleted with it. */
  cascade: v.optional(flag),
  /** `registrationId` of the registration that the caller has seen. */
  ifRegistration: v.optional(text('a registrationId')),
});

/** What a trunk group has, of which each kind is stopped and started by pages. */
export const trunkGroupMembers = ['clients', 'apiKeys', 'providers'] as const;

export const trunkGroupStopOptions = exactly({
  ...page,
  ...ifStoredVersion,
  /** What the page is of. Left out: only the record that says whether the trunk group is stopped. */
  members: v.optional(oneOf(trunkGroupMembers)),
});
