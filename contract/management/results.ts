import * as v from 'valibot';
import { regionIds } from '../regions.ts';
import { algs } from '../signing-algorithms.ts';
import { asStored, list } from './fields.ts';
import { grantLimits } from './inputs.ts';
import { finding } from './provider-results.ts';

/**
 * What the operations of management return. The function sends only what is declared here, so a
 * hash cannot leave it. A caller ignores fields that it does not know: a function may be newer.
 * Times are seconds since the epoch.
 */

const text = v.string();
const optionalText = v.optional(text);
const time = v.number();
const optionalTime = v.optional(time);
const record = v.record(text, v.unknown());

const pageOf = <T extends v.GenericSchema>(item: T) =>
  v.object({ items: list(item), examined: v.number(), nextCursor: optionalText });

export const secret = v.object({
  secretId: text,
  name: optionalText,
  createdAt: time,
  expiresAt: optionalTime,
  lastUsedOn: optionalText,
  disabled: v.optional(v.literal(true)),
});

export const client = v.object({
  clientId: text,
  name: text,
  serviceTrunkGroup: text,
  audiences: list(text),
  tokenLifetime: v.number(),
  scopes: list(text),
  enabled: v.boolean(),
  secrets: list(secret),
  provider: v.optional(
    v.object({
      issuer: text,
      registrationId: text,
      externalClientId: text,
      conditions: v.optional(list(v.object({ claim: text, values: list(text) }))),
    }),
  ),
  tokensNotBefore: optionalTime,
  version: v.number(),
  createdAt: time,
  updatedAt: time,
});

export const createdClient = v.object({ client, existed: v.boolean() });

export const clientPage = pageOf(client);

const created = { secret, value: optionalText };

export const createdSecret = v.object(created);

export const rotatedSecrets = v.object({ ...created, expired: list(secret) });

const subnet = v.object({ subnetId: text, name: text, address: text, prefixLength: v.number() });

export const apiKey = v.object({
  keyId: text,
  name: text,
  enabled: v.boolean(),
  serviceTrunkGroup: text,
  subnets: list(subnet),
  valueId: optionalText,
  oldValues: v.optional(list(v.object({ valueId: text, expiresAt: time }))),
  scopes: v.optional(list(text)),
  expiresAt: optionalTime,
  version: v.number(),
  createdAt: time,
  updatedAt: time,
});

export const createdApiKey = v.object({ key: apiKey, value: optionalText });

export const addedSubnet = v.object({ key: apiKey, subnet });

export const apiKeyPage = pageOf(apiKey);

const expiring = { serviceTrunkGroup: text, expiresAt: time };

export const expiringPage = v.object({
  /** Of the daily run that made the list; nothing before the first one. */
  reportedAt: optionalTime,
  /** What expires first is first. */
  items: list(
    v.variant('kind', [
      v.object({
        kind: v.literal('client_secret'),
        ...expiring,
        clientId: text,
        clientName: text,
        secretId: text,
        secretName: optionalText,
        lastUsedOn: optionalText,
        /** As of now, whether callers have moved to a newer secret. */
        replaced: v.optional(v.literal(true)),
      }),
      v.object({ kind: v.literal('api_key'), ...expiring, keyId: text, keyName: text }),
    ]),
  ),
  /** On all pages of the report. */
  total: v.number(),
  nextCursor: optionalText,
  /** As of now: whether not all that was changed since the daily run could be read. */
  isPartial: v.optional(v.literal(true)),
});

export const tokenExplanation = v.object({
  granted: v.boolean(),
  steps: list(v.object({ step: text, outcome: v.picklist(['passed', 'refused']), detail: text })),
  error: optionalText,
  errorDescription: optionalText,
  reason: optionalText,
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
  }),
  v.object({
    credential: v.literal('api_key'),
    keyId: text,
    serviceTrunkGroup: text,
    scopes: v.optional(list(text)),
  }),
]);

const refusal = { reason: optionalText, rule: optionalText, finding: v.optional(finding) };

export const requestExplanation = v.object({
  accepted: v.boolean(),
  verified: v.optional(verifiedCredential),
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
  status: v.optional(v.number()),
  error: optionalText,
  errorDescription: optionalText,
});

const auditedChange = {
  changeId: text,
  time: text,
  actor: text,
  action: text,
  subject: text,
  outcome: v.picklist(['done', 'failed', 'unfinished']),
  before: v.optional(record),
  after: v.optional(record),
};

export const auditPage = v.object({
  day: text,
  items: list(v.object(auditedChange)),
  examined: v.number(),
  nextCursor: optionalText,
});

const region = v.picklist(regionIds);

export const historyPage = v.object({
  since: text,
  until: text,
  items: list(v.object({ ...auditedChange, region })),
  unread: list(v.object({ region, reason: text })),
  nextCursor: optionalText,
});

export const signingKey = v.object({
  kid: text,
  regionId: v.picklist(regionIds),
  alg: v.picklist(algs),
  kmsKeyArn: text,
  publicJwk: v.variant('kty', [
    v.object({ kty: v.literal('RSA'), ...publicKey(), n: text, e: text }),
    v.object({
      kty: v.literal('EC'),
      ...publicKey(),
      crv: v.picklist(['P-256', 'P-384']),
      x: text,
      y: text,
    }),
    v.object({ kty: v.literal('AKP'), ...publicKey(), pub: text }),
  ]),
  state: v.picklist(['next', 'current', 'previous', 'withdrawn', 'disabled', 'deletion_scheduled']),
  publishedAt: time,
  seenAt: optionalTime,
  provedAt: optionalTime,
  activatedAt: optionalTime,
  retiredAt: optionalTime,
  withdrawnAt: optionalTime,
  disabledAt: optionalTime,
  deletionScheduledAt: optionalTime,
  withdrawAt: optionalTime,
  disableAt: optionalTime,
  version: v.number(),
});

function publicKey() {
  return { kid: text, alg: v.picklist(algs), use: v.literal('sig') } as const;
}

export const signingKeyTimeline = list(
  v.object({
    key: signingKey,
    signs: v.boolean(),
    since: time,
    next: v.optional(
      v.object({
        action: v.picklist(['promote', 'retire', 'withdraw', 'disable', 'schedule_deletion']),
        at: time,
      }),
    ),
    safety: v.optional(v.number()),
    liveTokens: v.number(),
  }),
);

export const deploymentDescription = v.object({
  name: text,
  issuer: optionalText,
  defaultAudience: text,
  tokenLifetime: v.object({ default: v.number(), minimum: v.number(), maximum: v.number() }),
  scopes: list(v.object({ service: text, permission: text, description: text, scope: text })),
  regions: list(v.object({ id: v.picklist(regionIds), awsRegion: text })),
  /** What the caller reaches; not known of an older function. */
  reach: v.optional(
    v.object({
      /** Every trunk group if left out. */
      trunkGroups: v.optional(list(text)),
      /** What the deployment config allows the caller to grant. */
      limits: v.object(asStored(grantLimits)),
      /** Whether the limits of trunk groups hold for the caller, too. */
      hasTrunkGroupLimits: v.boolean(),
    }),
  ),
});
