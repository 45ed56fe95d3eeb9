import * as v from 'valibot';
import { clientKeyAlgs, proofModes } from '../proof-algorithms.ts';
import { regionIds } from '../regions.ts';
import { stopKinds } from '../stop-kinds.ts';
import { asStored, list } from './fields.ts';
import { limitEntries, plainClientEntries } from './inputs.ts';

/** What the operations about identity providers return. */

const text = v.string();
const optionalText = v.optional(text);
const time = v.number();
const optionalTime = v.optional(time);

const stop = v.object({ at: time, by: text, event: optionalText, name: optionalText });

const stops = v.optional(v.partial(v.object(v.entriesFromList(stopKinds, stop))));

/** A record that works unless something stops it. It does not say that it is enabled; its result does. */
function stoppable<const T extends v.GenericSchema<unknown, object>>(
  record: T,
): v.GenericSchema<v.InferInput<T>, v.InferOutput<T> & { readonly enabled?: boolean }> {
  return v.pipe(
    record,
    v.transform((one) => ({ ...one, enabled: !('stops' in one) || one.stops === undefined })),
  );
}

export const provider = stoppable(
  v.object({
    stops,
    issuer: text,
    registrationId: text,
    discoveryUrl: text,
    jwksUri: text,
    allowedAlgorithms: list(text),
    clientIdClaim: optionalText,
    audienceFrom: v.optional(v.literal('scope')),
    clientPatterns: v.optional(v.literal(true)),
    leeway: v.optional(v.number()),
    registeredAt: time,
    /** Of a provider that is never fetched: which keys it has. Left out: they are missing. */
    givenKeys: v.optional(v.object({ version: v.number(), updatedAt: time })),
    /** Of a provider that was registered for trunk groups. Left out: it is the whole platform's. */
    owner: v.optional(
      v.object({
        /** Those that the caller can reach. None at all: the staff has taken the provider over. */
        trunkGroups: list(text),
        /** Whether it also belongs to groups that the caller cannot reach. */
        others: v.optional(v.literal(true)),
        /** 0: the record of the owner is missing, so the provider is open to no trunk group. */
        version: v.number(),
      }),
    ),
  }),
);

/** Public members only (RFC 7517 §4): the library's lint refuses a key with others. */
const providerKey = v.object({
  kid: text,
  alg: text,
  kty: v.picklist(['RSA', 'EC', 'OKP', 'AKP']),
  n: optionalText,
  e: optionalText,
  crv: optionalText,
  x: optionalText,
  y: optionalText,
  pub: optionalText,
});

export const keySet = v.object({
  keys: list(providerKey),
  skipped: list(v.object({ kid: text, reason: text })),
});

export const registeredProvider = v.object({ provider, keySet });

export const providerKeys = v.union([v.object({ keySet }), v.object({ problem: text })]);

const finding = v.object({
  name: text,
  /** A claim has any JSON type. */
  received: v.optional(v.unknown()),
  expected: text,
  hint: optionalText,
});

/** A claim that a token must have, with one of the values. */
const condition = v.object({ claim: text, values: list(text) });

const tokenInspection = v.variant('usable', [
  /** Accepted, for a client that has these values. */
  v.object({
    usable: v.literal(true),
    /** The claim that names the client, and its value: `externalClientId` of the client. */
    clientIdClaim: text,
    externalClientId: text,
    /** Patterns that would match it, if the registration allows patterns. */
    patterns: list(text),
    /** One of them must be an audience of the client, and a name of the API. */
    audiences: list(text),
    subject: text,
    expiresAt: time,
    /** Other claims of the token that could name the client, and their values. */
    otherClaims: v.record(text, text),
    /**
     * What a client should require, so that tokens like this one pass and those of people do not.
     * Undefined if the registration needs no rule, or none follows from this token.
     */
    proposal: v.optional(
      v.object({
        conditions: list(condition),
        /** Whether a new client gets the conditions without being asked. */
        isAdded: v.boolean(),
        /** Whether the token meets them. If not, it is one of a person, or of another application. */
        isMet: v.boolean(),
      }),
    ),
  }),
  v.object({ usable: v.literal(false), reason: text, rule: text, finding: v.optional(finding) }),
]);

export const providerInspection = v.object({
  discoveryUrl: optionalText,
  issuer: optionalText,
  jwksUri: optionalText,
  allowedAlgorithms: v.optional(list(text)),
  keySet: v.optional(keySet),
  /** Whether `registerProvider` would register it now, and why not. */
  registrable: v.boolean(),
  problem: optionalText,
  /** Why its tokens will be refused when they arrive, although it can be registered. */
  warning: optionalText,
  /** Empty if no tokens were given, and if the keys cannot be used. */
  tokens: list(tokenInspection),
});

const grant = v.object({
  /** Of a subject grant a client id or a prefix of them, of an issuer grant a URL. */
  value: text,
  /** One or more. */
  trunkGroups: list(text),
});

export const grantList = v.object({
  kind: v.picklist(['subject', 'issuer']),
  /** The issuer of subject grants; of issuer grants the host, with a port that is not 443. */
  place: text,
  /** In the order of their values. */
  grants: list(grant),
  /**
   * 0: nothing is stored, or the caller is restricted to trunk groups. Lists are never deleted, so
   * a version never comes back.
   */
  version: v.number(),
  /** Seconds since the epoch. */
  updatedAt: v.optional(time),
});

const page = <T extends v.GenericSchema>(item: T) => ({
  items: list(item),
  examined: v.number(),
  nextCursor: optionalText,
});

export const grantListPage = v.object(page(grantList));

/** A client under a provider whose id there is not granted to its trunk group. */
export const outsideClient = v.object({
  clientId: text,
  name: text,
  serviceTrunkGroup: text,
  enabled: v.boolean(),
  issuer: text,
  /** Its id there, or its pattern. */
  subject: text,
  /** Trunk groups that have a grant with one of its ids. Empty: it is granted to none. */
  grantedTo: list(text),
});

export const subjectGrantChange = v.object({
  ...grantList.entries,
  /** Clients of other trunk groups whose ids the grant has, after the change. */
  otherClients: list(outsideClient),
});

export const grantCheck = v.object({
  ...page(outsideClient),
  /** Providers of trunk groups that are not granted to each of them. On the first page. */
  providers: list(v.object({ issuer: text, trunkGroups: list(text) })),
});

export const trunkGroupLimits = v.object({
  serviceTrunkGroup: text,
  ...asStored(limitEntries),
  /** Of the trunk group, by the staff. */
  stops,
  /** 0: nothing is stored. Records are never deleted, so a version never comes back. */
  version: v.number(),
  /** Seconds since the epoch. */
  updatedAt: optionalTime,
});

export const trunkGroupLimitsPage = v.object(page(trunkGroupLimits));

/** Ids, of which each had to be stopped or started. */
export const trunkGroupMemberPage = v.object(page(text));

export const limitsCheck = v.object({
  /** What the trunk group has above its limits. */
  excesses: list(
    v.object({
      /** The limit, by its name. */
      limit: text,
      /** Id of the client, the secret or the API key; the trunk group for a count. */
      subject: text,
      name: optionalText,
      received: text,
      allowed: text,
    }),
  ),
  /** Whether there are more than are listed. */
  more: v.boolean(),
});

const record = v.record(text, v.unknown());

const searchedPage = <T extends v.GenericSchema>(item: T) =>
  v.object({ ...page(item), allNames: v.optional(v.literal(true)) });

export const secret = stoppable(
  v.object({
    stops,
    secretId: text,
    name: optionalText,
    /** Of a public key in place of a secret: the values of its JWK (x and y, x, or n), joined by a dot. */
    publicKey: optionalText,
    alg: optionalText,
    createdAt: time,
    expiresAt: optionalTime,
    lastUsedOn: optionalText,
    /** Another provider made it. */
    imported: v.optional(v.literal(true)),
  }),
);

export const client = stoppable(
  v.object({
    stops,
    clientId: text,
    name: text,
    serviceTrunkGroup: text,
    audiences: list(text),
    ...asStored(plainClientEntries),
    tokenLifetime: v.number(),
    scopes: list(text),
    secrets: list(secret),
    provider: v.optional(
      v.object({
        issuer: text,
        registrationId: text,
        externalClientId: text,
        conditions: v.optional(list(condition)),
      }),
    ),
    /** Its id at the provider that it was imported from. */
    /** The import that made it. */
    importId: optionalText,
    /** The stack that declares the client, or had declared it: only that one changes it. */
    declared: v.optional(
      v.object({
        stackId: text,
        logicalId: text,
        undeclaredAt: optionalTime,
        takenOverAt: optionalTime,
      }),
    ),
    tokensNotBefore: optionalTime,
    /** UTC day of the last token for an assertion. Only in what reads clients. */
    lastUsedOn: optionalText,
    version: v.number(),
    createdAt: time,
    updatedAt: time,
  }),
);

export const createdClient = v.object({ client, existed: v.boolean() });

export const clientPage = searchedPage(client);

const created = { secret, value: optionalText };

export const createdSecret = v.object(created);

export const rotatedSecrets = v.object({ ...created, expired: list(secret) });

const subnet = v.object({ subnetId: text, name: text, address: text, prefixLength: v.number() });

export const apiKey = stoppable(
  v.object({
    stops,
    keyId: text,
    name: text,
    serviceTrunkGroup: text,
    subnets: list(subnet),
    valueId: optionalText,
    oldValues: v.optional(
      list(v.object({ valueId: text, expiresAt: time, lastUsedOn: optionalText })),
    ),
    /** Of the present value. Only of a key that is shown or listed; left out if none was recorded. */
    lastUsedOn: optionalText,
    /** Whether the last uses could not be read. */
    isLastUseUnread: v.optional(v.literal(true)),
    scopes: v.optional(list(text)),
    expiresAt: optionalTime,
    version: v.number(),
    createdAt: time,
    updatedAt: time,
  }),
);

/** What a person should know of the subnets: nothing of it is refused. */
const warnings = v.optional(list(text));

export const createdApiKey = v.object({ key: apiKey, value: optionalText, warnings });

export const addedSubnet = v.object({ key: apiKey, subnet, warnings });

export const apiKeyPage = searchedPage(apiKey);

export const tokenExplanation = v.object({
  granted: v.boolean(),
  /** In the order of the token endpoint. The last step decides. */
  steps: list(v.object({ step: text, outcome: v.picklist(['passed', 'refused']), detail: text })),
  /** `error` and `error_description` of the answer (RFC 6749 §5.2). */
  error: optionalText,
  errorDescription: optionalText,
  reason: optionalText,
  /** What ends the refusal; commands stand between backticks. */
  remedy: optionalText,
  /** Claims of the token that would be issued, except its random `jti`. */
  claims: v.optional(record),
});

const verifiedCredential = v.variant('credential', [
  v.object({
    credential: v.literal('access_token'),
    issuer: text,
    subject: text,
    clientId: text,
    scopes: list(text),
    serviceTrunkGroup: text,
    audiences: list(text),
    tokenId: optionalText,
    expiresAt: time,
    /** RFC 7638 thumbprint of the key that the token is bound to (`cnf.jkt`, RFC 9449 §6.1). */
    boundTo: optionalText,
  }),
  v.object({
    credential: v.literal('api_key'),
    keyId: text,
    serviceTrunkGroup: text,
    scopes: v.optional(list(text)),
  }),
]);

const refusal = {
  reason: optionalText,
  rule: optionalText,
  /** What ends the refusal; commands stand between backticks. */
  remedy: optionalText,
  finding: v.optional(finding),
};

export const requestExplanation = v.object({
  accepted: v.boolean(),
  verified: v.optional(verifiedCredential),
  /** Why a check that looks up clients refuses the token that others accept. */
  refusedWithLookup: v.optional(v.object(refusal)),
  ...refusal,
  facts: v.optional(
    v.object({
      clientId: optionalText,
      keyId: optionalText,
      issuer: optionalText,
      tokenId: optionalText,
      requiredScopes: v.optional(list(text)),
    }),
  ),
  /** HTTP status and `error` that the caller would see (RFC 6750 §3.1). */
  status: v.optional(v.number()),
  error: optionalText,
  errorDescription: optionalText,
});

/** A change: its outcome, or its intent if it has none. */
export const auditedChange = v.object({
  changeId: text,
  /** When its outcome was recorded, or its intent if it has none: RFC 3339 UTC with milliseconds. */
  time: text,
  actor: text,
  /**
   * Of a person behind a portal, as the identity provider last gave it: the person's own claim. It
   * is not in the audit.
   */
  actorName: optionalText,
  /** Instead of the name, for a caller with trunk groups: a person who reaches all of them. */
  actorIsStaff: v.optional(v.literal(true)),
  action: text,
  subject: text,
  /** `unfinished`: there is no outcome, so the change may or may not have been made. */
  outcome: v.picklist(['done', 'failed', 'unfinished']),
  before: v.optional(record),
  after: v.optional(record),
});

export const auditPage = v.object({
  day: text,
  /** The newest first. */
  ...page(auditedChange),
});

const region = v.picklist(regionIds);

export const historyPage = v.object({
  /** The days that this page has, the first and the last. */
  since: text,
  until: text,
  /** The newest first, each with the region whose audit has it. */
  items: list(v.object({ ...auditedChange.entries, region })),
  /** Regions whose audits could not be read: their changes are missing. */
  unread: list(v.object({ region, reason: text })),
  nextCursor: optionalText,
});

export const deploymentDescription = v.object({
  name: text,
  /** Undefined if the config names none, as without a domain. */
  issuer: optionalText,
  defaultAudience: text,
  /** Seconds. */
  tokenLifetime: v.object({ default: v.number(), minimum: v.number(), maximum: v.number() }),
  /** The catalogue: the scopes that clients may have. */
  scopes: list(v.object({ service: text, permission: text, description: text, scope: text })),
  /** Whether clients get tokens for assertions of their provider; see docs/adr/0108. */
  acceptsAssertions: v.optional(v.literal(true)),
  /** Left out if clients have no keys of their own. */
  clientKeys: v.optional(
    v.object({ algorithms: list(v.picklist(clientKeyAlgs)), only: v.boolean() }),
  ),
  /** Which audiences' tokens are bound to the key of a proof. */
  dpop: v.optional(
    v.object({
      audiences: v.record(text, v.picklist(proofModes)),
      default: v.optional(v.picklist(proofModes)),
    }),
  ),
  regions: list(v.object({ id: v.picklist(regionIds), awsRegion: text })),
  /** What the caller reaches; undefined without the management function, which enforces it. */
  reach: v.optional(
    v.object({
      /** Every trunk group if left out. */
      trunkGroups: v.optional(list(text)),
      /** What the deployment config allows the caller to give. */
      limits: v.object(asStored(limitEntries)),
      /** Whether the limits of trunk groups hold for the caller, too. */
      hasTrunkGroupLimits: v.boolean(),
    }),
  ),
});
