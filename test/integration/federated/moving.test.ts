import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

const { authctl, json, service, requestToken } = useLocalCli({ federatedClients: {} });

const subject = 'arn:aws:iam::111122223333:role/Dialer';

let provider: LoopbackProvider;

beforeAll(async () => {
  provider = await startLoopbackProvider();
  await json(['provider', 'register', provider.discoveryUrl, '--client-id-claim', 'sub']);
});

afterAll(() => provider.close());

/** What the workload sends: no secret, no id. */
async function requestByAssertion(): Promise<number> {
  const assertion = await new SignJWT({ sub: subject })
    .setProtectedHeader({ alg: 'ES256', kid: provider.key.kid })
    .setIssuer(provider.issuer)
    .setAudience(service().issuer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(provider.key.privateKey);
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion,
  });
  return (await fetch(service().tokenUrl, { method: 'POST', body })).status;
}

it('a client moves from a secret to its workload without a request that fails', async () => {
  const base = ['--trunk-group', 'tg-7', '--scope', 'messaging:view'];
  const old = await json(['client', 'create', '--name', 'Dialer', ...base]);
  const oldId = String(old['client_id']);
  const created = await json(['client-secret', 'create', oldId]);
  const [secretId, secret] = [String(created['secret_id']), String(created['client_secret'])];
  expect((await requestToken(oldId, secret)).status).toBe(200);

  const at = ['--provider', provider.issuer, '--external-client-id', subject];
  const moved = await json(['client', 'create', '--name', 'Dialer (workload)', ...base, ...at]);
  expect(moved['client_id']).not.toBe(oldId);
  expect(await requestByAssertion()).toBe(200);
  expect((await requestToken(oldId, secret)).status).toBe(200);

  const shown = await json(['client', 'show', oldId]);
  expect(shown['secrets']).toMatchObject([{ secret_id: secretId, status: 'active' }]);
  const [used] = shown['secrets'] as readonly Record<string, unknown>[];
  expect(used?.['last_used_on']).toMatch(/^\d{4}-\d{2}-\d{2}$/);

  await authctl(['client-secret', 'disable', oldId, secretId, '--yes']);
  expect((await requestToken(oldId, secret)).status).toBe(401);
  expect(await requestByAssertion()).toBe(200);
  await authctl(['client', 'delete', oldId, '--yes']);
  expect(await requestByAssertion()).toBe(200);
});
