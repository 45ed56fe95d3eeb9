import { toSigningKeyItem } from '../../../adapters/dynamodb/items/signing-key-item.ts';
import { jwksPath, openidConfigurationPath } from '../../../contract/routes.ts';
import type { Client } from '../../../core/client/client.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { createTestKey, signToken } from '../../support/test-issuer.ts';
import type { Backend } from '../backend/backend.ts';
import type { StubItem } from '../backend/dynamodb-stub.ts';
import { buildFunction } from '../build.ts';
import { expectStatus, type Target } from '../measure.ts';
import type { Plan } from '../plan.ts';
import { type SampleOptions, sampleTargets } from '../sample.ts';
import {
  backendEnvironment,
  clientItem,
  config,
  createClient,
  createEvent,
  createItems,
  createProvider,
  createSigningKeys,
  environments,
  providerItem,
  tokenRequestHeaders,
  usualSize,
} from '../scenario.ts';
import { authorizerEnvironment, createAuthorizerEvent, expectAllow } from './authorizer.ts';
import { tokenEvent } from './token.ts';

/** CPU time of one invocation if there are so many. */
interface ScalePoint {
  readonly size: number;
  readonly cpuUs: number;
}

/** By what grows and what is asked: `secrets of a client → token`. */
export type ScaleSection = Readonly<Record<string, readonly ScalePoint[]>>;

/** What is asked if there are so many, and what the tables hold for it. */
interface Sized {
  readonly size: number;
  readonly target: Target;
  readonly items: readonly StubItem[];
}

type Asked = Pick<Target, 'bundle' | 'environment'>;

const check = expectStatus(200);

const scopesOf = (size: number) =>
  Array.from({ length: size }, (_, index) => `service${index}:view`);

/** A client of its own for each size, so that all sizes are measured by turns. */
function askAs(what: string, size: number, client: Client, token: Asked): Sized {
  const clientId = `client_${`${what}${size}`.padStart(22, '0')}`;
  const headers = tokenRequestHeaders(undefined, clientId);
  const event = tokenEvent(headers, 'grant_type=client_credentials');
  return { size, target: { ...token, event, check }, items: [clientItem({ ...client, clientId })] };
}

/** A table of its own for each number of signing keys. */
function askWithKeys(size: number, asked: Asked, event: unknown, publicSpki: string): Sized {
  const table = `${asked.bundle.name}-signing-keys-${size}`;
  const keys = createSigningKeys(publicSpki, { ...usualSize, signingKeys: size });
  const environment = { ...asked.environment, AUTH_SIGNING_KEYS_TABLE: table };
  return {
    size,
    target: { ...asked, environment, event, check },
    items: keys.map((key) => ({ table, key: 'signing_key', item: toSigningKeyItem(key) })),
  };
}

function askWithCatalogue(size: number, discovery: Asked): Sized {
  const variables = { AUTH_SCOPES_SUPPORTED: scopesOf(size).join(' ') };
  const environment = { ...discovery.environment, ...variables };
  const event = createEvent({ method: 'GET', path: openidConfigurationPath });
  return { size, target: { ...discovery, environment, event, check }, items: [] };
}

/** Tokens of so many providers, in turn; all have one key, which each publishes as its own. */
function askWithProviders(backend: Backend, sizes: readonly number[]) {
  const key = createTestKey('ES256');
  const now = Math.floor(Date.now() / 1000);
  const items: StubItem[] = [];
  const events: unknown[] = [];
  for (let index = 0; index < Math.max(...sizes); index += 1) {
    const issuer = `${backend.issuer}/providers/${index}`;
    const registrationId = `idp_${String(index).padStart(22, '0')}`;
    items.push(providerItem(createProvider({ issuer, registrationId, alg: 'ES256' })));
    const clientId = deriveProviderClientId(issuer, 'external');
    const provider = { issuer, registrationId, externalClientId: 'external' };
    items.push(clientItem({ ...createClient(usualSize), clientId, secrets: [], provider }));
    const claims = { iss: issuer, sub: 'external', aud: config.defaultAudience, iat: now };
    const token = signToken(key, { ...claims, exp: now + 3600 }, { typ: 'JWT' });
    events.push(createAuthorizerEvent(token));
  }
  const environment = { ...authorizerEnvironment(backend), AUTH_ALLOW_LOOPBACK_PROVIDERS: '1' };
  const common = { bundle: buildFunction('authorizer'), environment, check: expectAllow };
  const series = sizes.map((size, index): Sized => {
    const target = { ...common, event: events[0], events: events.slice(0, size) };
    return { size, target, items: index === 0 ? items : [] };
  });
  return { series, jwks: { keys: [{ ...key.jwk, alg: 'ES256', use: 'sig' }] } };
}

/** Shorter than the other sections: there are many points, and their trend is what counts. */
function planOf(plan: Plan): Plan {
  return {
    ...plan,
    coldRuns: 0,
    warmUp: Math.ceil(plan.warmUp / 4),
    invocations: Math.ceil(plan.invocations / 3),
  };
}

async function sampleSeries(
  series: readonly Sized[],
  options: SampleOptions,
): Promise<readonly ScalePoint[]> {
  const targets = Object.fromEntries(series.map(({ size, target }) => [size, target]));
  const figures = await sampleTargets(targets, { ...options, plan: planOf(options.plan) });
  return Object.entries(figures).map(([size, { cpuUs }]) => ({ size: Number(size), cpuUs }));
}

export async function runScaleSection(options: SampleOptions): Promise<ScaleSection> {
  const { backend, plan } = options;
  const shared = backendEnvironment(backend);
  const askedOf = (name: keyof typeof environments): Asked => ({
    bundle: buildFunction(name),
    environment: { ...shared, ...environments[name] },
  });
  const token = askedOf('token');
  const jwks = askedOf('jwks');
  const getJwks = createEvent({ method: 'GET', path: jwksPath });
  const { publicSpki } = backend;
  const providerCounts = plan.name === 'full' ? [1, 10, 100, 1000] : [1, 10];
  const providers = askWithProviders(backend, providerCounts);
  const all: Readonly<Record<string, readonly Sized[]>> = {
    'secrets of the client → token': [1, 10, 100].map((size) =>
      askAs('secrets', size, createClient({ ...usualSize, secrets: size }), token),
    ),
    'scopes of the client → token': [1, 10, 40].map((size) =>
      askAs('scopes', size, { ...createClient(usualSize), scopes: scopesOf(size) }, token),
    ),
    'signing keys → token': [1, 10, 30].map((size) =>
      askWithKeys(size, token, tokenEvent(), publicSpki),
    ),
    'signing keys → JWKS': [1, 10, 30].map((size) => askWithKeys(size, jwks, getJwks, publicSpki)),
    'scopes in the catalogue → discovery': [10, 100, 1000].map((size) =>
      askWithCatalogue(size, askedOf('discovery')),
    ),
    'providers in use → authorizer': providers.series,
  };
  const items = Object.values(all).flatMap((series) => series.flatMap((sized) => sized.items));
  await backend.command({
    items: [...createItems(backend), ...items],
    providerJwks: providers.jwks,
  });
  const points: Record<string, readonly ScalePoint[]> = {};
  for (const [name, series] of Object.entries(all)) {
    points[name] = await sampleSeries(series, options);
  }
  return points;
}
