import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jwksCacheTimes as times } from '../../../contract/limits.ts';
import { createTestKey } from '../../../lab/support/test-issuer.ts';
import { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { BearerRefusal, createVerifier, UnavailableError } from '../../../verifier/verifier.ts';
import { useLocalCli } from '../cli/use-authctl.ts';
import { requestToken } from '../lab/local/use-local-service.ts';
import { type OidcProvider, startOidcProvider } from './oidc-provider.ts';

const { authctl, json, service } = useLocalCli();

const audience = 'https://api.example.com';
const erp = { clientId: 'erp', clientSecret: 'erp-secret-of-the-other-provider' };
const stranger = { clientId: 'stranger', clientSecret: 'secret-of-a-client-nobody-created' };

let provider: OidcProvider;

beforeAll(async () => {
  provider = await startOidcProvider([erp, stranger]);
});

afterAll(() => provider.stop());

function createClient(...more: readonly string[]): Promise<Record<string, unknown>> {
  const base = ['--name', 'ERP', '--trunk-group', 'tg-7', '--scope', 'messaging:view'];
  const at = ['--provider', provider.issuer, '--external-client-id', erp.clientId];
  return json(['client', 'create', ...base, ...at, ...more]);
}

async function register(): Promise<void> {
  await json(['provider', 'register', provider.discoveryUrl]);
}

async function remove(): Promise<void> {
  await authctl(['provider', 'delete', provider.issuer, '--cascade', '--yes']);
}

async function status(token: string, method = 'GET'): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(service().exampleUrl, { method, headers })).status;
}

async function fetchOwnToken(): Promise<string> {
  const body = (await (await requestToken(service())).json()) as { readonly access_token: string };
  return body.access_token;
}

describe('a second OpenID provider', () => {
  it("has its clients' tokens accepted by the example API, with what was given to them here", async () => {
    await register();
    const client = await createClient();
    const token = await provider.fetchToken(erp, audience);
    const response = await fetch(service().exampleUrl, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      caller: {
        client_id: client['client_id'],
        scope: 'messaging:view',
        service_trunk_group: 'tg-7',
        credential: 'access_token',
        issuer: provider.issuer,
      },
    });
    expect(await status(token, 'POST')).toBe(403);
  });

  it('is refused for a client that no one created here, and for another audience', async () => {
    expect(await status(await provider.fetchToken(stranger, audience))).toBe(401);
    expect(await status(await provider.fetchToken(erp, 'https://other.example.com'))).toBe(401);
  });

  it('stops being accepted at once when the client or the provider is deleted', async () => {
    const token = await provider.fetchToken(erp, audience);
    expect(await status(token)).toBe(200);
    await remove();
    expect(await status(token)).toBe(401);
    expect(await status(await fetchOwnToken())).toBe(200);
  });

  it('has no client of an earlier registration adopted by a new one', async () => {
    await register();
    const token = await provider.fetchToken(erp, audience);
    expect(await status(token)).toBe(401);
    await createClient();
    expect(await status(token)).toBe(200);
  });
});

describe('rotation and outage of a provider, seen by the library', () => {
  let now: number;

  function startVerifier() {
    now = Date.now();
    const { aws, issuer } = service();
    return createVerifier({
      issuer,
      audience,
      ...createDynamoDbLookups({ tables: 'local', ...aws }),
      allowLoopbackProviders: true,
      clock: () => now,
    });
  }

  function pass(seconds: number): void {
    now += seconds * 1000;
  }

  it('follows its keys while it verifies, with a bounded number of fetches', async () => {
    const [first, second] = [createTestKey('ES256'), createTestKey('ES256')];
    provider.useKeys(first);
    const verifier = startVerifier();
    const verify = (token: string) => verifier.verify({ authorization: `Bearer ${token}` });
    const old = await provider.fetchToken(erp, audience);
    await verify(old);

    provider.useKeys(second, first);
    const fresh = await provider.fetchToken(erp, audience);
    const before = provider.jwksFetches();
    // Too early to ask again: refused, and the old key goes on.
    await expect(verify(fresh)).rejects.toBeInstanceOf(BearerRefusal);
    expect(provider.jwksFetches()).toBe(before);
    await verify(old);

    pass(times.cooldown);
    const both = await Promise.all([verify(fresh), verify(fresh), verify(old)]);
    expect(both.map(({ credential }) => credential)).toEqual(Array(3).fill('access_token'));
    expect(provider.jwksFetches()).toBe(before + 1);

    provider.useKeys(second);
    pass(times.refreshBefore);
    await expect(verify(old)).rejects.toMatchObject({ reason: 'token_key_unknown' });
    await verify(fresh);
  });

  it('goes on with what it has while the provider is away, and touches no one else', async () => {
    provider.useKeys(createTestKey('ES256'));
    const verifier = startVerifier();
    const verify = (token: string) => verifier.verify({ authorization: `Bearer ${token}` });
    const known = await provider.fetchToken(erp, audience);
    const own = await fetchOwnToken();
    await verify(known);
    await verify(own);
    provider.useKeys(createTestKey('ES256'));
    const unknown = await provider.fetchToken(erp, audience);

    await provider.stop();
    pass(times.refreshBefore);
    await verify(known);
    await verify(own);
    await verifier.verify({ authorization: `Bearer ${service().apiKey}` });
    await expect(verify(unknown)).rejects.toBeInstanceOf(UnavailableError);
    // A verifier that never saw the keys has no decision either, and gives no access.
    const cold = startVerifier();
    await expect(cold.verify({ authorization: `Bearer ${known}` })).rejects.toBeInstanceOf(
      UnavailableError,
    );
  });
});
