import { generateKeyPairSync, sign } from 'node:crypto';
import { toSigningKeyItem } from '../../../adapters/dynamodb/signing-key-item.ts';
import { jwksPath, openidConfigurationPath, tokenPath } from '../../../contract/routes.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import type { Backend } from '../backend/backend.ts';
import type { StubItem } from '../backend/dynamodb-stub.ts';
import { type Bundle, buildFunction } from '../build.ts';
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
  createSigningKeys,
  environments,
  providerItem,
  tokenRequestHeaders,
  usualSize,
} from '../scenario.ts';
import { authorizerEnvironment, createAuthorizerEvent, expectAllow } from './authorizer.ts';

/** CPU time of one invocation if there are so many. */
export interface ScalePoint {
  readonly size: number;
  readonly cpuUs: number;
}

/** By what grows and what is asked: `secrets of a client → token`. */
export type ScaleSection = Readonly<Record<string, readonly ScalePoint[]>>;

type Series = Readonly<Record<string, Target>>;

const body = 'grant_type=client_credentials';

/** A client of its own for each size, so that all sizes are measured by turns. */
function tokenSeries(
  what: 'secrets' | 'scopes',
  sizes: readonly number[],
  common: Pick<Target, 'bundle' | 'environment'>,
): { readonly targets: Series; readonly items: readonly StubItem[] } {
  const items: StubItem[] = [];
  const targets: Record<string, Target> = {};
  for (const size of sizes) {
    const clientId = `client_${`${what}${size}`.padStart(22, '0')}`;
    const scopes = Array.from({ length: size }, (_, index) => `service${index}:view`);
    const client =
      what === 'secrets'
        ? createClient({ ...usualSize, secrets: size })
        : { ...createClient(usualSize), scopes };
    items.push(clientItem({ ...client, clientId }));
    const headers = tokenRequestHeaders(undefined, clientId);
    const event = createEvent({ method: 'POST', path: tokenPath, headers, body });
    targets[size] = { ...common, event, check: expectStatus(200) };
  }
  return { targets, items };
}

function keySeries(
  backend: Backend,
  path: string,
  sizes: readonly number[],
  common: Pick<Target, 'bundle' | 'environment'>,
): { readonly targets: Series; readonly items: readonly StubItem[] } {
  const items: StubItem[] = [];
  const targets: Record<string, Target> = {};
  for (const size of sizes) {
    const table = `signing-keys-${size}`;
    for (const key of createSigningKeys(backend.publicSpki, { ...usualSize, signingKeys: size })) {
      items.push({ table, key: 'signing_key', item: toSigningKeyItem(key) });
    }
    const event =
      path === tokenPath
        ? createEvent({ method: 'POST', path, headers: tokenRequestHeaders(), body })
        : createEvent({ method: 'GET', path });
    const environment = { ...common.environment, AUTH_SIGNING_KEYS_TABLE: table };
    targets[size] = { ...common, environment, event, check: expectStatus(200) };
  }
  return { targets, items };
}

function catalogueSeries(sizes: readonly number[], common: Pick<Target, 'bundle' | 'environment'>) {
  const targets: Record<string, Target> = {};
  for (const size of sizes) {
    const scopes = Array.from({ length: size }, (_, index) => `service${index}:view`).join(' ');
    const environment = { ...common.environment, AUTH_SCOPES_SUPPORTED: scopes };
    const event = createEvent({ method: 'GET', path: openidConfigurationPath });
    targets[size] = { ...common, environment, event, check: expectStatus(200) };
  }
  return targets;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens of so many providers, in turn; all have one key, which each publishes as its own. */
function providerSeries(
  backend: Backend,
  sizes: readonly number[],
  bundle: Bundle,
): { readonly targets: Series; readonly items: readonly StubItem[]; readonly jwks: object } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' };
  const now = Math.floor(Date.now() / 1000);
  const items: StubItem[] = [];
  const events: unknown[] = [];
  for (let index = 0; index < Math.max(...sizes); index += 1) {
    const issuer = `${backend.issuer}/providers/${index}`;
    const registrationId = `idp_${String(index).padStart(22, '0')}`;
    const provider = {
      issuer,
      registrationId,
      discoveryUrl: `${issuer}/.well-known/openid-configuration`,
      jwksUri: `${issuer}/jwks`,
      allowedAlgorithms: ['ES256'],
      registeredAt: now,
    };
    items.push(providerItem(provider));
    const clientId = deriveProviderClientId(issuer, 'external');
    const at = { issuer, registrationId, externalClientId: 'external' };
    items.push(clientItem({ ...createClient(usualSize), clientId, secrets: [], provider: at }));
    const claims = { iss: issuer, sub: 'external', aud: config.defaultAudience, iat: now };
    const input = `${encode({ alg: 'ES256', kid: 'k', typ: 'JWT' })}.${encode({ ...claims, exp: now + 3600 })}`;
    const signature = sign('sha256', Buffer.from(input), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    events.push(createAuthorizerEvent(`${input}.${signature.toString('base64url')}`));
  }
  const environment = {
    ...authorizerEnvironment(backend),
    AUTH_ALLOW_LOOPBACK_PROVIDERS: '1',
  };
  const targets = Object.fromEntries(
    sizes.map((size) => [
      size,
      { bundle, environment, event: events[0], events: events.slice(0, size), check: expectAllow },
    ]),
  );
  return { targets, items, jwks: { keys: [jwk] } };
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

async function sampleSeries(targets: Series, options: SampleOptions): Promise<ScalePoint[]> {
  const plan = planOf(options.plan);
  const figures = await sampleTargets(targets, { ...options, plan });
  return Object.entries(figures).map(([size, { cpuUs }]) => ({ size: Number(size), cpuUs }));
}

export async function runScaleSection(options: SampleOptions): Promise<ScaleSection> {
  const { backend } = options;
  const shared = backendEnvironment(backend);
  const token = {
    bundle: buildFunction('token'),
    environment: { ...shared, ...environments.token },
  };
  const jwks = { bundle: buildFunction('jwks'), environment: { ...shared, ...environments.jwks } };
  const discovery = {
    bundle: buildFunction('discovery'),
    environment: { ...shared, ...environments.discovery },
  };
  const secrets = tokenSeries('secrets', [1, 10, 100], token);
  const scopes = tokenSeries('scopes', [1, 10, 40], token);
  const keysOfToken = keySeries(backend, tokenPath, [1, 10, 30], token);
  const keysOfJwks = keySeries(backend, jwksPath, [1, 10, 30], jwks);
  const providerCounts = options.plan.name === 'full' ? [1, 10, 100, 1000] : [1, 10];
  const providers = providerSeries(backend, providerCounts, buildFunction('authorizer'));
  await backend.command({
    items: [
      ...createItems(backend),
      ...secrets.items,
      ...scopes.items,
      ...keysOfToken.items,
      ...providers.items,
    ],
    providerJwks: providers.jwks,
  });
  return {
    'secrets of the client → token': await sampleSeries(secrets.targets, options),
    'scopes of the client → token': await sampleSeries(scopes.targets, options),
    'signing keys → token': await sampleSeries(keysOfToken.targets, options),
    'signing keys → JWKS': await sampleSeries(keysOfJwks.targets, options),
    'scopes in the catalogue → discovery': await sampleSeries(
      catalogueSeries([10, 100, 1000], discovery),
      options,
    ),
    'providers in use → authorizer': await sampleSeries(providers.targets, options),
  };
}
