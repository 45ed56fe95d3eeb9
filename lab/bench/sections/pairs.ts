import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { tableName } from '../../../contract/tables.ts';
import {
  formatApiKeyValue,
  formatId,
  hashSecret,
} from '../../../core/credential/credential-value.ts';
import type { StubItem } from '../backend/dynamodb-stub.ts';
import { buildFunction, buildUsualWay, workFolder } from '../build.ts';
import { measurePair, type PairSection, type PairTarget } from '../pairs.ts';
import type { PairPlan } from '../plan.ts';
import type { SampleOptions } from '../sample.ts';
import {
  config,
  createItems,
  dpopEnvironment,
  fairShareEnvironment,
  keysEnvironment,
} from '../scenario.ts';
import {
  authorizerEnvironment,
  createAuthorizerEvent,
  createAuthorizerTargets,
} from './authorizer.ts';
import { createDocumentTargets } from './documents.ts';
import { createTokenTargets } from './token.ts';

export const pairNames = [
  'token',
  'fairShare',
  'clientKeys',
  'dpop',
  'discovery',
  'jwks',
  'authorizerToken',
  'authorizerApiKey',
] as const;
export type PairName = (typeof pairNames)[number];

/** Each handler next to what it is held to: those that were asked for. */
export type PairsSection = Readonly<Partial<Record<PairName, PairSection>>>;

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
  const apiKey = createApiKeyWithScopes();
  await backend.command({ items: [...createItems(backend), apiKey.item] });
  const documents = await createDocumentTargets(options);
  const { ours, twoCalls } = createTokenTargets(backend);
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
  const byKey = {
    bundle: buildFunction('authorizer'),
    environment: { ...authorizerEnvironment(backend), BENCH_KEY_ID: apiKey.keyId },
    event: apiKey.event,
  };
  const read = buildUsualWay('read', 'lab/bench/reference/read-handler.ts');
  const measures: Readonly<Record<PairName, () => Promise<PairSection>>> = {
    token: () => pair(200, [ours, twoCalls], {}),
    fairShare: () =>
      pair(200, [tokenWith(ours, 'fair-share', fairShareEnvironment()), ours], warmOnly),
    clientKeys: () => pair(200, [tokenWith(ours, 'keys', keysEnvironment()), ours], warmOnly),
    dpop: () => pair(200, [tokenWith(ours, 'dpop', dpopEnvironment()), ours], warmOnly),
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
