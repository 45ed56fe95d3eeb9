import { describe, expect, it } from 'vitest';
import { createKeyCache } from '../../../adapters/https/fetch-key-set.ts';
import type { Client } from '../../../core/client/client.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { AssertionRefusal } from '../../../core/federated/assertion-request.ts';
import { WorkloadAuthentication } from '../../../core/federated/authenticate-workload.ts';
import type {
  IdentityProvider,
  IdentityProviderReader,
} from '../../../core/identity-provider/identity-provider.ts';
import { OAuthError } from '../../../core/oauth-error.ts';
import type { Federation } from '../../../core/token/federation.ts';
import { makeClient } from '../../../lab/support/clients.ts';
import { hostileRows } from '../../../lab/support/platforms/hostile-assertions.ts';
import {
  assertionForms,
  bodyOf,
  createHostileWorld,
  type FormName,
  type HostileRow,
  refusedAnswers,
  sign,
  workload,
} from '../../../lab/support/platforms/hostile-world.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { tokenEnvironment, worldNow } from '../../../lab/support/token-settings.ts';
import { tokenWorld } from '../../support/token-world.ts';

const issuer = tokenEnvironment.issuer;

const platform = 'https://platform.example/id/1';

const world = createHostileWorld({
  now: worldNow,
  issuer,
  issuers: {
    platform,
    other: 'https://other.example',
    deleted: 'https://deleted.example',
    unreachable: 'https://unreachable.example',
    owned: 'https://owned.example',
  },
  foreignClientIds: [deriveProviderClientId(platform, `${workload}foreign`), makeClient().clientId],
});

const { provider, other, subjects } = world;

function registered(at: string, overrides: Partial<IdentityProvider> = {}): IdentityProvider {
  return {
    issuer: at,
    registrationId: `registration of ${at}`,
    discoveryUrl: `${at}/.well-known/openid-configuration`,
    jwksUri: `${at}/jwks`,
    allowedAlgorithms: ['ES256'],
    clientIdClaim: 'sub',
    registeredAt: 1_000,
    ...overrides,
  };
}

const providers = [
  registered(provider.issuer, { clientPatterns: true }),
  registered(other.issuer),
  registered(world.unreachableIssuer),
  registered(world.ownedIssuer, { owned: true, ownedBy: 'tg-1' }),
];

const keySets: Readonly<Record<string, unknown>> = {
  [`${provider.issuer}/jwks`]: { keys: [provider.key.jwk, world.rsaKey.jwk] },
  [`${other.issuer}/jwks`]: { keys: [other.key.jwk] },
  [`${world.ownedIssuer}/jwks`]: { keys: [other.key.jwk] },
};

function clientOf(id: string, overrides: Partial<Client> = {}, at = provider.issuer): Client {
  const registrationId = providers.find((one) => one.issuer === at)?.registrationId ?? 'gone';
  const own = { issuer: at, registrationId, externalClientId: id };
  return makeClient({
    clientId: deriveProviderClientId(at, id),
    secrets: [],
    provider: { ...own, ...overrides.provider },
    ...overrides,
  });
}

const conditions = [{ claim: 'project_id', values: ['42'] }];
const clients = [
  clientOf(subjects.good),
  clientOf(`${workload}foreign`, { serviceTrunkGroup: 'stg-2' }),
  clientOf(subjects.disabled, { stops: personStop }),
  clientOf(subjects.revoked, { tokensNotBefore: worldNow }),
  clientOf(subjects.recreated, { tokensNotBefore: worldNow, createdAt: worldNow }),
  {
    ...clientOf(subjects.conditional),
    provider: {
      issuer: provider.issuer,
      registrationId: `registration of ${provider.issuer}`,
      externalClientId: subjects.conditional,
      conditions,
    },
  },
  clientOf(world.pattern),
  ...[world.deletedIssuer, world.unreachableIssuer, world.ownedIssuer].map((at) =>
    clientOf(subjects.good, {}, at),
  ),
];

/** A token function of its own for each request, so that none remembers another's failure. */
function openFunction({ ownProviders = false } = {}) {
  const counts = { providers: 0, fetches: 0 };
  const identityProviders: IdentityProviderReader = {
    async findIdentityProvider(at) {
      counts.providers += 1;
      return providers.find((one) => one.issuer === at);
    },
  };
  const fetchJwks = async ({ jwksUri }: { readonly jwksUri: string }) => {
    counts.fetches += 1;
    if (keySets[jwksUri] === undefined) throw new UnavailableError(jwksUri);
    return keySets[jwksUri];
  };
  const opened = tokenWorld(clients, undefined, {}, (reader, clock) => {
    const jwks = createKeyCache(fetchJwks, { clock, isFunction: true });
    const workloads = new WorkloadAuthentication(
      { clients: reader, identityProviders, jwks },
      { issuer, tokenEndpoints: [world.tokenUrl], maxAge: 3600, ownProviders },
    );
    const federation: Federation = async (request, values) => {
      try {
        return { found: await workloads.authenticate(request, values) };
      } catch (error) {
        if (error instanceof AssertionRefusal || error instanceof OAuthError)
          return { refusal: error };
        throw error;
      }
    };
    return { federation };
  });
  return {
    ...opened,
    counts: () => ({ ...counts, clients: opened.stores.findClient.mock.calls.length }),
  };
}

type OpenFunction = ReturnType<typeof openFunction>;

async function send(body: string, { issue, counts }: OpenFunction = openFunction()) {
  const { statusCode, body: text } = await issue({ headers: { Authorization: [] }, body });
  const answer = JSON.parse(text) as Record<string, unknown>;
  return { status: statusCode, body: answer, counts: counts() };
}

const cases = assertionForms.flatMap((form) => hostileRows.map((row) => [form, row] as const));

async function answersOf(form: FormName, row: HostileRow) {
  return Promise.all((await row.bad(world, form)).map((body) => send(body)));
}

describe.each(cases.map(([form, row]) => [form, row.name, row] as const))(
  '%s with %s',
  (form, _, row) => {
    it(`is refused with one body; with ${row.change}, it gets a token`, async () => {
      const [status, error, description] = row.answer?.[form] ?? refusedAnswers[form];
      const answers = await answersOf(form, row);
      expect(answers.length).toBeGreaterThanOrEqual(5);
      for (const [index, answer] of answers.entries()) {
        expect([answer.status, answer.body], `request ${index}`).toEqual([
          status,
          { error, error_description: description },
        ]);
      }
      const neighbour = await send(await row.good(world, form));
      expect([neighbour.status, neighbour.body['error_description']]).toEqual([200, undefined]);
    });
  },
);

/** Rows that are refused at a time when no record was read and no key fetched. */
const cheapRows = new Set([
  'no assertion',
  'two assertions of one name',
  'both forms',
  'a form above 8 KiB',
  'a malformed assertion',
  'alg none',
  'HMAC with a public key',
  'another kind of token by its typ',
  'a header with extensions',
  'a wrong aud',
  'several values of aud',
  'no aud',
  'expired',
  'too old',
  'from the future',
  'times that are no seconds, or missing',
]);

describe('bad requests', () => {
  it('with bad form, header, aud or times cost no read and no fetch', async () => {
    for (const [form, row] of cases.filter(([, { name }]) => cheapRows.has(name))) {
      for (const { counts } of await answersOf(form, row)) {
        expect(counts, `${form}: ${row.name}`).toEqual({ providers: 0, clients: 0, fetches: 0 });
      }
    }
  });

  it('of a client that is refused cost the reads of one that is unknown', async () => {
    const names = [
      'a disabled client',
      'from before tokens were revoked',
      'a deleted client',
      'a claim that is not as the client requires',
    ];
    const found = await Promise.all(
      hostileRows
        .filter(({ name }) => names.includes(name))
        .map(async (row) => (await answersOf('client_assertion', row)).map(({ counts }) => counts)),
    );
    expect(found).toHaveLength(names.length);
    const [first] = found.flat();
    expect(new Set(found.flat().map((counts) => JSON.stringify(counts)))).toEqual(
      new Set([JSON.stringify(first)]),
    );
  });

  it('of a trunk group’s own provider are accepted only if such providers take part', async () => {
    const row = hostileRows.find(({ name }) => name.startsWith('a provider of a trunk group'));
    const [body = ''] = (await row?.bad(world, 'jwt_bearer')) ?? [];
    expect((await send(body, openFunction({ ownProviders: true }))).status).toBe(200);
  });
});

describe('a subject that has no client yet', () => {
  it('gets a token some seconds after its client was created, also when it tried all the time', async () => {
    const opened = openFunction();
    const created = clientOf(subjects.deleted);
    const statuses: number[] = [];
    for (let second = 0; second <= 12; second += 2) {
      if (second === 4) opened.byId.set(created.clientId, created);
      opened.clock.now = worldNow + second;
      const claims = { sub: subjects.deleted, jti: `try-${second}` };
      const body = bodyOf('jwt_bearer', await sign(world, { claims }));
      statuses.push((await send(body, opened)).status);
    }
    expect(statuses).toEqual([400, 400, 400, 200, 200, 200, 200]);
  });
});
