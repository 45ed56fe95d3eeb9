import { expect, it, vi } from 'vitest';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import { createGuardedFetch } from '../../../adapters/https/json-request.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { worldNow as now, tokenEnvironment } from '../../../lab/support/token-settings.ts';
import { createProvider, createProviderClient } from '../../../lab/support/verifier-world.ts';
import { createFederation } from '../../../lambda/token/federated.ts';
import { figure } from '../../support/figure.ts';
import { tokenWorld } from '../../support/token-world.ts';

vi.mock('../../../adapters/https/json-request.ts');

const total = 10_000;
const connections = 50;

const issuer = tokenEnvironment.issuer;
const key = createTestKey('ES256');
const stranger = createTestKey('ES256');
const provider = createProvider({ clientIdClaim: 'sub' });
const subject = 'system:serviceaccount:voice:dialer';

function createWorld() {
  const counts = { provider: 0, fetch: 0 };
  vi.mocked(createGuardedFetch).mockReturnValue(async () => {
    counts.fetch += 1;
    return { keys: [key.jwk] };
  });
  const at = { issuer: provider.issuer, registrationId: 'idp_1', externalClientId: subject };
  const item = toIdentityProviderItem(provider);
  const calls = {
    get: async ({ Key }: { Key?: Record<string, unknown> | undefined }) => {
      counts.provider += 1;
      return Key?.['issuer'] === provider.issuer ? { Item: item } : {};
    },
    query: () => Promise.reject(new Error('not used')),
    update: () => Promise.reject(new Error('not used')),
  };
  const settings = {
    identityProvidersTable: 'idp',
    tokenEndpoints: [],
    maxAge: 3600,
    ownProviders: false,
  } as never;
  const known = [makeClient(), createProviderClient({ provider: at })];
  const world = tokenWorld(known, undefined, {}, (clients, clock) => ({
    federation: createFederation({ issuer, settings, calls, clients, clock }),
  }));
  return { counts, ...world };
}

let serial = 0;
function assertion(claims: object = {}, header: object = {}, by = key): string {
  serial += 1;
  const usual = { iss: provider.issuer, sub: subject, aud: issuer, iat: now, exp: now + 600 };
  const all = { ...usual, jti: `a-${serial}`, ...claims };
  return signToken(by, all, { typ: 'JWT', kid: key.kid, ...header });
}

/** Each kind is refused, for another reason. */
const kinds: Readonly<Record<string, () => string>> = {
  'no JWT': () => `x.${(serial += 1)}.y`,
  'a wrong aud': () => assertion({ aud: 'https://api.example.com' }),
  'an expired one': () => assertion({ exp: now - 60 }),
  'a token of this service': () => assertion({ iss: issuer }),
  'an unknown issuer': () => assertion({ iss: `https://${(serial += 1)}.example.net` }),
  'an unknown kid': () => assertion({}, { kid: `kid-${serial}` }),
  'a wrong signature': () => assertion({}, {}, stranger),
  'an unknown subject': () => assertion({ sub: `${subject}-${serial % 100}` }),
};

const statusOf = ({ statusCode }: { readonly statusCode: number }) => statusCode;

it('10,000 hostile assertions cost few reads and fetches, and others get their tokens', async () => {
  for (const [name, make] of Object.entries(kinds)) {
    const { counts, stores, issue } = createWorld();
    const send = async (index: number, text: string) => {
      const body = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: text,
      }).toString();
      const headers = { Authorization: [] };
      return statusOf(await issue({ headers, body, sourceIp: `192.0.2.${index % 20}` }));
    };
    const texts = Array.from({ length: total / Object.keys(kinds).length }, make);
    const statuses: number[] = [];
    const begun = process.cpuUsage();
    for (let start = 0; start < texts.length; start += connections) {
      const batch = texts.slice(start, start + connections);
      statuses.push(...(await Promise.all(batch.map((text, index) => send(start + index, text)))));
    }
    const { user, system } = process.cpuUsage(begun);
    figure(`hostile assertions, ${name}`, {
      sent: texts.length,
      accepted: statuses.filter((status) => status === 200).length,
      'throttled (429)': statuses.filter((status) => status === 429).length,
      'reads of providers': counts.provider,
      'of clients': stores.findClient.mock.calls.length,
      fetches: counts.fetch,
      'microseconds of CPU for each': Math.round((user + system) / texts.length),
    });
    expect(statuses.filter((status) => status !== 400 && status !== 429)).toEqual([]);
    expect(counts.fetch).toBeLessThanOrEqual(1);
    expect(stores.findClient.mock.calls.length).toBeLessThanOrEqual(100);
    // From the source that sent the most, a workload and a Basic client get theirs.
    expect(await send(0, assertion())).toBe(200);
    expect(statusOf(await issue())).toBe(200);
  }
});
