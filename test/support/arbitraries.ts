import fc from 'fast-check';
import {
  maxAudiencesPerClient,
  maxClaimConditions,
  maxClaimConditionValues,
  maxNameLength,
  maxScopesPerClient,
  maxServiceTrunkGroupLength,
  maxTokenLifetime,
} from '../../contract/bounds.ts';
import { stopKinds } from '../../contract/stop-kinds.ts';
import type { ApiKey, ApiKeySubnet } from '../../core/api-key/api-key.ts';
import type { AuditRecord } from '../../core/audit/audit-log.ts';
import type { Client, ClientSecret } from '../../core/client/client.ts';
import { formatId, hashSecret, idBytes } from '../../core/credential/credential-value.ts';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';

/** Domain objects of every shape that the rules allow. */

const random = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
export const id = (kind: Parameters<typeof formatId>[0]) =>
  random(idBytes).map((bytes) => formatId(kind, bytes));
export const time = fc.integer({ min: 0, max: 4_102_444_800 });
/** UTF-16 units that make up whole characters, as any name that a person types. */
export const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text.length <= maxNameLength);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const hash = fc.string().map(hashSecret);
export const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** None, or one or more. */
const stops = optional(
  fc
    .uniqueArray(fc.constantFrom(...stopKinds), { minLength: 1 })
    .chain((kinds) =>
      fc.record(Object.fromEntries(kinds.map((kind) => [kind, fc.record({ at: time, by: name })]))),
    ),
);

export const clientSecret: fc.Arbitrary<ClientSecret> = fc.record({
  secretId: id('secret'),
  hash,
  name: optional(name),
  createdAt: time,
  expiresAt: optional(time),
  lastUsedOn: optional(day),
  stops,
});

/** One more, which a change makes of it, is a safe integer as well. */
const version = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 });

/** As stores return them: the oldest first, those of one second by name. */
export function inOrder(secrets: readonly ClientSecret[]): readonly ClientSecret[] {
  return secrets.toSorted(
    (a, b) =>
      a.createdAt - b.createdAt ||
      Number((a.name ?? '') > (b.name ?? '')) - Number((a.name ?? '') < (b.name ?? '')) ||
      (a.secretId < b.secretId ? -1 : 1),
  );
}

export const clientSecrets = (maxLength: number) =>
  fc.uniqueArray(clientSecret, { maxLength, selector: (secret) => secret.secretId }).map(inOrder);

const scope = fc.stringMatching(/^[\x21\x23-\x5B\x5D-\x7E]{1,30}$/);

const anyClient = fc.record({
  clientId: id('client'),
  name,
  serviceTrunkGroup: fc.string({ minLength: 1, maxLength: maxServiceTrunkGroupLength }),
  audiences: fc.array(fc.webUrl({ size: 'small' }), { maxLength: maxAudiencesPerClient }),
  tokenLifetime: fc.integer({ min: 1, max: maxTokenLifetime }),
  scopes: fc.uniqueArray(scope, { maxLength: maxScopesPerClient }),
  stops,
  tokensNotBefore: optional(time),
  version,
  createdAt: time,
  updatedAt: time,
});

const provider = fc.record({
  issuer: fc.webUrl({ size: 'small' }),
  registrationId: id('registration'),
  externalClientId: fc.string({ minLength: 1, maxLength: 100 }),
  conditions: optional(
    fc.array(
      fc.record({
        claim: fc.string({ minLength: 1, maxLength: 40 }),
        values: fc.array(fc.string({ minLength: 1, maxLength: 40 }), {
          minLength: 1,
          maxLength: maxClaimConditionValues,
        }),
      }),
      { maxLength: maxClaimConditions },
    ),
  ),
});

export const client: fc.Arbitrary<Client> = fc.oneof(
  fc
    .record({ common: anyClient, secrets: clientSecrets(8) })
    .map(({ common, secrets }) => ({ ...common, secrets })),
  fc
    .record({ common: anyClient, provider })
    .map(({ common, provider }) => ({ ...common, secrets: [], provider })),
);

const subnet: fc.Arbitrary<ApiKeySubnet> = fc
  .oneof(
    fc.record({ address: fc.ipV4(), prefixLength: fc.integer({ min: 1, max: 32 }) }),
    // Not IPv4-mapped, which canonical text never is.
    fc.record({
      address: fc.ipV6().filter((text) => !text.includes('.') && !/ffff:/i.test(text)),
      prefixLength: fc.integer({ min: 33, max: 128 }),
    }),
  )
  .chain((block) =>
    fc.record({ subnetId: id('subnet'), name }).map((rest) => ({ ...rest, ...block })),
  );

export const apiKey: fc.Arbitrary<ApiKey> = fc.record({
  keyId: id('apiKey'),
  hash,
  name,
  stops,
  serviceTrunkGroup: fc.string({ minLength: 1, maxLength: maxServiceTrunkGroupLength }),
  subnets: fc.array(subnet, { maxLength: 6 }),
  scopes: optional(fc.constant(['messaging:view'])),
  version,
  createdAt: time,
  updatedAt: time,
});

export const identityProvider: fc.Arbitrary<IdentityProvider> = fc.record({
  issuer: fc.webUrl(),
  registrationId: id('registration'),
  discoveryUrl: fc.webUrl(),
  jwksUri: fc.webUrl(),
  allowedAlgorithms: fc.uniqueArray(fc.constantFrom('RS256', 'PS256', 'ES256', 'EdDSA'), {
    minLength: 1,
  }),
  clientIdClaim: optional(fc.constantFrom('sub', 'appid', 'cid')),
  audienceFrom: optional(fc.constant('scope' as const)),
  clientPatterns: optional(fc.constant(true as const)),
  registeredAt: time,
});

/** A member of a view: snake_case, and ours, so never a member that every object has. */
const member = fc.stringMatching(/^[a-z_]{1,12}$/).filter((name) => !(name in {}));

/** JSON as views of the management hold it: numbers are whole. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(member, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const view = fc.dictionary(member, json, { maxKeys: 4 });

export const auditRecord: fc.Arbitrary<AuditRecord> = fc.record({
  time: fc
    .date({ min: new Date('2026-01-01'), max: new Date('2026-01-03'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  recordId: fc.uuid(),
  actor: fc.string({ minLength: 1 }),
  action: fc.constantFrom('client.create', 'client_secret.delete'),
  subject: fc.string({ minLength: 1 }),
  outcome: fc.constantFrom('intended', 'done', 'failed'),
  before: optional(view),
  after: optional(view),
});
