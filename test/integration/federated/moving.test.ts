import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

const { authctl, json, service, requestToken } = useLocalCli({ federatedClients: {} });

const subject = 'arn:aws:iam::111122223333:role/Dialer';

let provider: LoopbackProvider;

beforeAll(async () => {
  provider = await startLoopbackProvider();
  await json(['provider', 'register', provider.discoveryUrl, '--client-id-claim', 'sub']);
});

afterAll(() => provider.close());

/** As `client show` has it, and the list. */
async function lastUses(clientId: unknown) {
  const shown = await json(['client', 'show', String(clientId)]);
  const { items } = await json(['client', 'list']);
  expect(items).toContainEqual(shown);
  const secrets = shown['secrets'] as readonly Record<string, unknown>[];
  return { assertion: shown['last_used_on'], secrets: secrets.map((one) => one['last_used_on']) };
}

const signAssertion = (audience: string) =>
  new SignJWT({ sub: subject })
    .setProtectedHeader({ alg: 'ES256', kid: provider.key.kid })
    .setIssuer(provider.issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(provider.key.privateKey);

/** What the workload sends: no secret, no id. */
async function requestByAssertion(): Promise<number> {
  const assertion = await signAssertion(service().issuer);
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

  // No token waits for the write.
  const used = await waitUntil('the use is recorded', async () => {
    const uses = await lastUses(moved['client_id']);
    return uses.assertion !== undefined && uses;
  });
  const aDay = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
  expect(used).toEqual({ assertion: aDay, secrets: [] });
  expect(await lastUses(oldId)).toEqual({ secrets: [aDay] });
  const { stdout } = await authctl(['client', 'show', String(moved['client_id'])]);
  expect(stdout).toMatch(/assertion last used +\d{4}-\d{2}-\d{2}/);
  expect(stdout).toMatch(/token lifetime +1h/);

  await authctl(['client-secret', 'disable', oldId, secretId, '--yes']);
  expect((await requestToken(oldId, secret)).status).toBe(401);
  expect(await requestByAssertion()).toBe(200);
  await authctl(['client', 'delete', oldId, '--yes']);
  expect(await requestByAssertion()).toBe(200);
});

it('what stops a workload says how long its tokens of this service go on', async () => {
  const clientId = deriveProviderClientId(provider.issuer, subject);
  for (const action of ['disable', 'revoke-tokens']) {
    const { stderr } = await authctl(['client', action, clientId, '--yes']);
    expect(stderr).toContain('accept them until they expire, at most 1h');
  }
  await authctl(['client', 'enable', clientId]);
  const asked = await authctl(['provider', 'delete', provider.issuer, '--cascade']);
  expect(asked.stderr).toContain('work until they expire, an hour at most');
});

it('explain says why the token endpoint refuses an assertion, and that it still works', async () => {
  const explain = ['explain', 'request', '--bearer-stdin', '--assertion', 'client_assertion'];
  const good = await authctl(explain, { stdin: await signAssertion(service().issuer) });
  expect(good.stdout).toMatch(/^Accepted\.\ncredential +assertion\n/);
  expect(good.stderr).toContain('The assertion still works');
  const asOther = await authctl([...explain, '--client-id', 'client_other'], {
    stdin: await signAssertion(service().issuer),
  });
  expect(asOther.stdout).toContain('client_id: received "client_other"; expected nothing, client_');
  const stdin = await signAssertion('https://api.example.com');
  const { exitCode, stdout, stderr } = await authctl(explain, { stdin });
  expect(exitCode).toBe(1);
  expect(stdout).toContain(
    [
      'Refused (token_audience_not_allowed). The rule: aud is one value that names this service: its issuer, for a client_assertion also federatedClients.audience, for a grant also a token endpoint.',
      `aud: received ["https://api.example.com"]; expected one value: ${service().issuer}.`,
      'The caller sees 401 invalid_client: client authentication failed.',
      'To end it: Set `aud` to the issuer of this deployment.',
    ].join('\n'),
  );
  expect(stderr).toContain('The assertion still works');
  expect(stdout + stderr).not.toContain(stdin);
});
