import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { tableName } from '../../../contract/tables.ts';
import { readClientKey } from '../../../core/client/client-key.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import {
  formatApiKeyValue,
  formatId,
  hashSecret,
} from '../../../core/credential/credential-value.ts';
import type { Backend } from '../backend/backend.ts';
import type { StubItem } from '../backend/dynamodb-stub.ts';
import { buildFunction, buildUsualWay, workFolder } from '../build.ts';
import { measurePair, type PairSection, type PairTarget } from '../pairs.ts';
import type { PairPlan } from '../plan.ts';
import type { SampleOptions } from '../sample.ts';
import {
  clientItem,
  config,
  createClient,
  createItems,
  dpopEnvironment,
  fairShareEnvironment,
  federatedTokenEnvironment,
  issuer,
  keysEnvironment,
  providerItem,
} from '../scenario.ts';
import {
  authorizerEnvironment,
  createAuthorizerEvent,
  createAuthorizerTargets,
} from './authorizer.ts';
import { createDocumentTargets } from './documents.ts';
import { createTokenTargets, tokenEvent } from './token.ts';

export const pairNames = [
  // First: its assertion is accepted for ten minutes.
  'keyToken',
  'token',
  'fairShare',
  'clientKeys',
  'dpop',
  'tokenAndDuties',
  'federatedToken',
  'discovery',
  'jwks',
  'authorizerToken',
  'authorizerApiKey',
] as const;
export type PairName = (typeof pairNames)[number];

/** Each handler next to what it is held to: those that were asked for. */
export type PairsSection = Readonly<Partial<Record<PairName, PairSection>>>;

/** As much as the token function writes for a token: a log line, and one with its metrics. */
const logBytes = '1274';

function assertionEvent(assertion: string) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'messaging:view',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
  return tokenEvent(['Content-Type', 'application/x-www-form-urlencoded'], form.toString());
}

/** A provider of workloads, its client, and assertions of it. */
async function createWorkload(backend: Backend) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'workload', alg: 'RS256', use: 'sig' };
  const now = Math.floor(Date.now() / 1000);
  const at = `${backend.issuer}/workloads`;
  const registrationId = formatId('registration', new Uint8Array(16).fill(7));
  const subject = 'repo:example/billing:ref:refs/heads/main';
  const clientId = deriveProviderClientId(at, subject);
  const provider = {
    issuer: at,
    registrationId,
    discoveryUrl: `${at}/.well-known/openid-configuration`,
    jwksUri: `${at}/jwks`,
    allowedAlgorithms: ['RS256'],
    clientIdClaim: 'sub',
    registeredAt: now,
  };
  const client = {
    ...createClient(),
    clientId,
    secrets: [],
    provider: { issuer: at, registrationId, externalClientId: subject },
  };
  const items = [clientItem(client), providerItem(provider)];
  const assertion = await new SignJWT({ jti: 'bench' })
    .setProtectedHeader({ alg: 'RS256', kid: 'workload', typ: 'JWT' })
    .setIssuer(at)
    .setSubject(subject)
    .setAudience(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(privateKey);
  return { items, jwks: { keys: [jwk] }, event: assertionEvent(assertion) };
}

/** A key with scopes, and a request with it. */
function createApiKeyWithScopes() {
  const keyId = formatId('apiKey', new Uint8Array(16).fill(3));
  const value = formatApiKeyValue(keyId, new Uint8Array(32).fill(3));
  const item: StubItem = {
    table: tableName(config.name, 'apiKeys'),
    key: keyId,
    item: toApiKeyItem({
      keyId,
      hash: hashSecret(value),
      name: 'Billing export',
      serviceTrunkGroup: 'stg-4711',
      subnets: [],
      scopes: ['messaging:view'],
      version: 1,
      createdAt: 1_700_000_000,
      updatedAt: 1_700_000_000,
    }),
  };
  return { keyId, item, event: createAuthorizerEvent(value) };
}

/** A client with a key, and a request that it signed. It is accepted for ten minutes. */
async function createKeyHolder() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const clientId = formatId('client', new Uint8Array(16).fill(8));
  const [secret] = createClient().secrets;
  if (secret === undefined) throw new Error('the client of the benchmark has no secret');
  const { hash: _, ...about } = secret;
  const key = readClientKey(JSON.stringify(await exportJWK(publicKey)));
  const assertion = await new SignJWT({ jti: 'bench' })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const item = clientItem({ ...createClient(), clientId, secrets: [{ ...about, ...key }] });
  return { item, event: assertionEvent(assertion) };
}

/** The function once more, in a file of its own, with other variables. */
function tokenWith<T extends Pick<PairTarget, 'bundle'>>(
  token: T,
  name: string,
  ownEnvironment: Readonly<Record<string, string>>,
) {
  const taskRoot = join(workFolder, `token-${name}`);
  cpSync(token.bundle.taskRoot, taskRoot, { recursive: true });
  return { ...token, bundle: { ...token.bundle, taskRoot }, ownEnvironment };
}

export async function runPairsSection(
  options: SampleOptions,
  names: readonly PairName[] = pairNames,
): Promise<PairsSection> {
  const { backend } = options;
  const authorizer = await createAuthorizerTargets(options);
  const workload = await createWorkload(backend);
  const apiKey = createApiKeyWithScopes();
  const holder = await createKeyHolder();
  const keys = keysEnvironment();
  await backend.command({
    items: [...createItems(backend), ...workload.items, apiKey.item, holder.item],
    providerJwks: workload.jwks,
  });
  const documents = await createDocumentTargets(options);
  const { ours, twoCalls } = createTokenTargets(backend);
  const floorWith = (environment: Readonly<Record<string, string>>) => ({
    ...twoCalls,
    environment: { ...twoCalls.environment, ...environment },
  });
  const { pairs } = options.plan;
  const pair = (
    outcome: unknown,
    [one, floor]: readonly [Omit<PairTarget, 'outcome'>, Omit<PairTarget, 'outcome'>],
    plan: Partial<PairPlan>,
  ) => measurePair({ ...one, outcome }, { ...floor, outcome }, { ...pairs, ...plan }, backend);
  const withoutTarget = { processes: 1 };
  const warmOnly = { ...withoutTarget, cold: 0 };
  // Such an invocation takes microseconds, and depends more on the places of code and memory.
  const withoutBackend = { blockSize: 10 * pairs.blockSize, cold: 0 };
  const shorter = { ...withoutTarget, warmUp: pairs.warmUp / 10 };
  const federated = {
    ...ours,
    event: workload.event,
    environment: { ...ours.environment, ...federatedTokenEnvironment() },
  };
  const byKey = {
    bundle: buildFunction('authorizer'),
    environment: { ...authorizerEnvironment(backend), BENCH_KEY_ID: apiKey.keyId },
    event: apiKey.event,
  };
  const read = buildUsualWay('read', 'lab/bench/reference/read-handler.ts');
  const duties = {
    BENCH_VERIFICATIONS: '1',
    BENCH_PUBLIC_SPKI: backend.publicSpki,
    BENCH_LOG_BYTES: logBytes,
  };
  const measures: Readonly<Record<PairName, () => Promise<PairSection>>> = {
    keyToken: () =>
      pair(200, [{ ...tokenWith(ours, 'by-key', keys), event: holder.event }, ours], {
        ...shorter,
        cold: 0,
      }),
    token: () => pair(200, [ours, twoCalls], {}),
    fairShare: () =>
      pair(200, [tokenWith(ours, 'fair-share', fairShareEnvironment()), ours], warmOnly),
    clientKeys: () => pair(200, [tokenWith(ours, 'keys', keys), ours], warmOnly),
    dpop: () => pair(200, [tokenWith(ours, 'dpop', dpopEnvironment()), ours], warmOnly),
    tokenAndDuties: () => pair(200, [ours, floorWith(duties)], warmOnly),
    federatedToken: () =>
      pair(200, [federated, floorWith({ ...duties, BENCH_VERIFICATIONS: '2' })], shorter),
    discovery: () => pair(200, [documents.discovery, documents.discoveryConstant], withoutBackend),
    jwks: () => pair(200, [documents.jwks, documents.jwksConstant], withoutBackend),
    authorizerToken: () => pair('Allow', [authorizer.ours, authorizer.floor], withoutBackend),
    authorizerApiKey: () =>
      pair('Allow', [byKey, { ...byKey, bundle: read }], { ...shorter, ...warmOnly }),
  };
  const section: Partial<Record<PairName, PairSection>> = {};
  for (const name of names) section[name] = await measures[name]();
  return section;
}
