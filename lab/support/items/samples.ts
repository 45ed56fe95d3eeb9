import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { toAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import {
  toGivenKeysItem,
  toIdentityProviderItem,
} from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import { type Item, toItem } from '../../../adapters/dynamodb/items/item.ts';
import {
  algorithmChoiceItem,
  canaryRunItem,
  heartbeatItem,
  keyIntentItem,
} from '../../../adapters/dynamodb/items/rotation-item.ts';
import { settingItems } from '../../../adapters/dynamodb/items/setting-items.ts';
import { signingKeyItem } from '../../../adapters/dynamodb/items/signing-key-item.ts';
import { regionIds } from '../../../contract/regions.ts';
import { type Alg, algs, signingAlgorithms } from '../../../contract/signing-algorithms.ts';
import { stopKinds } from '../../../contract/stop-kinds.ts';
import { signingKeyStates } from '../../../contract/tables.ts';
import type { Client } from '../../../core/client/client.ts';
import type { PublicJwk, SigningKey } from '../../../core/signing-key/signing-key.ts';
import type { ItemKind } from './parsers.ts';

/*
 * One item or more of each kind, as this version writes it: with every attribute that there is,
 * with none that may be absent, and with each value of every closed set.
 */

const at = 1_800_000_000;
const hash = `sha256:${'0'.repeat(64)}`;

const everyStop = Object.fromEntries(
  stopKinds.map((kind) => [kind, { at, by: 'https://login.example.com#ada', event: 'request-1' }]),
);

const client: Client = {
  clientId: 'client_07k9GwqqC4UuPpPZaUImQB',
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  audiences: ['https://api.example.com'],
  tokenLifetime: 3600,
  scopes: ['messaging:view', 'messaging:manage'],
  secrets: [
    { secretId: 'secret_1', hash, createdAt: at },
    {
      secretId: 'secret_2',
      hash,
      name: 'spring',
      createdAt: at,
      expiresAt: at + 86_400,
      lastUsedOn: '2027-01-15',
    },
    { secretId: 'secret_3', hash, createdAt: at, stops: everyStop, imported: true },
    { secretId: 'secret_4', publicKey: 'x', alg: 'Ed25519', createdAt: at },
  ],
  importId: 'import_07k9GwqqC4UuPpPZaUImQB',
  version: 3,
  createdAt: at,
  updatedAt: at + 1,
};

const declared = {
  stackId: 'arn:aws:cloudformation:us-west-2:111122223333:stack/erp/1',
  logicalId: 'Billing',
  events: [{ id: 'request-1', at }],
};

const provider = {
  issuer: 'https://idp.example.com',
  registrationId: 'provider_1',
  externalClientId: 'external',
};

const identityProvider = {
  issuer: provider.issuer,
  registrationId: provider.registrationId,
  discoveryUrl: `${provider.issuer}/.well-known/openid-configuration`,
  jwksUri: `${provider.issuer}/jwks`,
  allowedAlgorithms: ['RS256', 'ES256'],
  registeredAt: at,
};

const apiKey = {
  keyId: 'apikey_1',
  hash,
  name: 'Office',
  serviceTrunkGroup: 'tg-1001',
  subnets: [
    { subnetId: 'subnet_1', name: 'v4', address: '203.0.113.0', prefixLength: 24 },
    { subnetId: 'subnet_2', name: 'v6', address: '2001:db8::', prefixLength: 32 },
  ],
  version: 1,
  createdAt: at,
  updatedAt: at,
};

function kidOf(alg: Alg): string {
  return alg.replaceAll(/[^A-Za-z0-9_-]/g, '').padEnd(43, '0');
}

function publicJwkOf(alg: Alg): PublicJwk {
  const { kty, ...rest } = signingAlgorithms[alg];
  const common = { kid: kidOf(alg), alg, use: 'sig' } as const;
  if (kty === 'RSA') return { ...common, kty, n: 'n'.repeat(342), e: 'AQAB' };
  if (kty === 'AKP') return { ...common, kty, pub: 'p'.repeat(1750) };
  const crv = 'crv' in rest && rest.crv === 'P-384' ? 'P-384' : 'P-256';
  return { ...common, kty, crv, x: 'x'.repeat(43), y: 'y'.repeat(43) };
}

function signingKey(alg: Alg, more: Partial<SigningKey>): SigningKey {
  return {
    kid: kidOf(alg),
    regionId: 'slc',
    alg,
    kmsKeyArn: 'arn:aws:kms:us-west-2:111122223333:key/11111111-2222-3333-4444-555555555555',
    publicJwk: publicJwkOf(alg),
    state: 'next',
    publishedAt: at,
    version: 1,
    ...more,
  };
}

const everyTime = {
  seenAt: at,
  provedAt: at,
  activatedAt: at + 1,
  retiredAt: at + 2,
  withdrawAt: at + 3,
  withdrawnAt: at + 4,
  disableAt: at + 5,
  disabledAt: at + 6,
  deletionScheduledAt: at + 7,
};

const intent = {
  slot: 'first',
  intentId: 'intent_1',
  regionId: 'slc',
  alg: 'RS256',
  holder: 'run_1',
  leaseUntil: at + 30,
  closed: false,
  version: 1,
} as const;

const auditRecord = {
  time: '2027-01-15T08:00:00.000Z',
  recordId: 'record-1',
  actor: 'arn:aws:sts::111122223333:assumed-role/operator/name',
  action: 'client.create',
  subject: client.clientId,
} as const;

const noLimits = { serviceTrunkGroup: 'tg-1001', version: 1, updatedAt: at };

const grantList = { version: 1, updatedAt: at };

/** By kind, as this version writes them. */
export function writeSamples(): Readonly<Record<ItemKind, readonly Item[]>> {
  const { kmsKeyArn } = signingKey('RS256', {});
  return {
    client: [
      { ...client, clientId: '7abcdefghijklmnopqrstuvwxy' },
      client,
      { ...client, secrets: [], audiences: [], scopes: [], stops: everyStop },
      { ...client, tokensNotBefore: at },
      { ...client, declared },
      { ...client, declared: { ...declared, undeclaredAt: at, takenOverAt: at } },
      { ...client, secrets: [], provider, lastUsedOn: '2027-01-15' },
      {
        ...client,
        secrets: [],
        provider: { ...provider, conditions: [{ claim: 'repository_id', values: ['1', '2'] }] },
      },
    ].map(toClientItem),
    api_key: [
      apiKey,
      { ...apiKey, subnets: [], stops: everyStop },
      {
        ...apiKey,
        valueId: 'secret_2',
        rotationIds: ['secret_9'],
        oldValues: [{ valueId: 'apikey_1', hash, expiresAt: at + 86_400 }],
      },
      { ...apiKey, scopes: ['messaging:view', 'messaging:manage'], expiresAt: at + 86_400 },
    ].map(toApiKeyItem),
    identity_provider: [
      identityProvider,
      {
        ...identityProvider,
        clientIdClaim: 'appid',
        audienceFrom: 'scope' as const,
        clientPatterns: true as const,
        leeway: 60,
      },
      { ...identityProvider, owned: true as const, ownedBy: 'tg-1', stops: everyStop },
    ].map(toIdentityProviderItem),
    given_keys: [
      toGivenKeysItem({
        issuer: provider.issuer,
        registrationId: provider.registrationId,
        jwks: '{"keys":[]}',
        version: 1,
        updatedAt: at,
      }),
    ],
    signing_key: [
      ...algs.map((alg) => signingKeyItem.toItem(signingKey(alg, {}))),
      ...signingKeyStates.map((state) => signingKeyItem.toItem(signingKey('RS256', { state }))),
      ...regionIds.map((regionId) =>
        signingKeyItem.toItem(signingKey('ES384', { ...everyTime, regionId })),
      ),
    ],
    key_intent: [
      ...(['first', ...regionIds] as const).map((slot) =>
        keyIntentItem.toItem({ ...intent, slot }),
      ),
      ...algs.map((alg) =>
        keyIntentItem.toItem({
          ...intent,
          alg,
          closed: true,
          kmsKeyArn,
          publicJwk: publicJwkOf(alg),
        }),
      ),
    ],
    region_heartbeat: regionIds.map((regionId) => heartbeatItem.toItem({ regionId, at })),
    key_choice: algs.map((alg) =>
      algorithmChoiceItem.toItem({ alg, insteadOf: 'RS256', chosenAt: at }),
    ),
    canary_run: [canaryRunItem.toItem({ regionId: 'slc', at, problem: '-', selfTestProblem: '-' })],
    trunk_group_limits: [
      noLimits,
      { ...noLimits, scopes: [], providers: [], maxApiKeys: 0 },
      {
        ...noLimits,
        scopes: ['messaging:view'],
        maxClients: 20,
        maxApiKeys: 5,
        maxTokenLifetime: 3600,
        maxSecretLifetime: 90 * 86_400,
        requireSubnet: true,
        providers: [provider.issuer],
        ownProviders: 2,
        stops: everyStop,
      },
      { ...noLimits, maxApiKeyLifetime: 90 * 86_400, requireApiKeyScopes: true },
    ].map(settingItems.limits.toItem),
    provider_owner: [[], ['tg-1001', 'tg-1002']].map((trunkGroups) =>
      settingItems.owner.toItem({
        registrationId: identityProvider.registrationId,
        issuer: identityProvider.issuer,
        trunkGroups,
        version: 1,
        updatedAt: at,
      }),
    ),
    subject_grants: [
      [],
      [
        { value: 'erp', trunkGroups: ['tg-1001'] },
        { value: 'repo:acme/', trunkGroups: ['tg-1001', 'tg-1002'] },
      ],
    ].map((grants) =>
      settingItems.subject.toItem({
        ...grantList,
        kind: 'subject',
        place: identityProvider.issuer,
        grants,
      }),
    ),
    issuer_grants: [
      settingItems.issuer.toItem({
        ...grantList,
        kind: 'issuer',
        place: new URL(identityProvider.issuer).host,
        grants: [{ value: `${identityProvider.issuer}/realms/acme`, trunkGroups: ['tg-1001'] }],
      }),
    ],
    person: [
      { subject: 'https://login.example.com#ada', name: 'Ada', trunkGroups: ['tg-1001'] },
      { subject: 'https://login.example.com#linus', name: 'Linus' },
      { subject: 'https://login.example.com#vic', erased: true as const },
    ].map(settingItems.person.toItem),
    audit: (['intended', 'done', 'failed'] as const).flatMap((outcome) => [
      toItem(toAuditItem({ ...auditRecord, outcome })),
      toItem(
        toAuditItem({
          ...auditRecord,
          outcome,
          before: { enabled: true, scopes: ['messaging:view'] },
          after: { enabled: false, provider: null },
        }),
      ),
    ]),
  };
}
