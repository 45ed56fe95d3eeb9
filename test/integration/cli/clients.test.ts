import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, requestToken } = useLocalCli();

async function createClient(...more: readonly string[]): Promise<string> {
  const created = await json([
    ...'client create --name Billing --trunk-group tg-1001 --scope messaging:view --scope calls:view'.split(
      ' ',
    ),
    ...more,
  ]);
  return String(created.client_id);
}

async function createSecret(clientId: string, ...more: readonly string[]) {
  const created = await json(['client-secret', 'create', clientId, ...more]);
  return { secretId: String(created.secret_id), value: String(created.client_secret) };
}

it('creates a client whose next token has what was chosen', async () => {
  const clientId = await createClient('--token-lifetime', '15m', '--audience', 'https://a.example');
  const { value } = await createSecret(clientId);
  const { status, body } = await requestToken(clientId, value);
  expect(status).toBe(200);
  expect(body).toMatchObject({ expires_in: 900, scope: 'messaging:view calls:view' });
  expect(decodeJwt(String(body.access_token))).toMatchObject({
    sub: clientId,
    aud: 'https://a.example',
    service_trunk_group: 'tg-1001',
  });
});

it('shows every attribute of a client', async () => {
  const clientId = await createClient();
  const shown = await json(['client', 'show', clientId]);
  expect(shown).toEqual({
    client_id: clientId,
    name: 'Billing',
    service_trunk_group: 'tg-1001',
    audience: ['https://api.example.com'],
    token_lifetime: 3600,
    scope: 'messaging:view calls:view',
    enabled: true,
    provider: expect.stringContaining('localhost'),
    // As its id follows from a key.
    tokens_not_before: expect.any(String),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    updated_at: expect.any(String),
    version: expect.any(Number),
    secrets: [],
  });
  const text = await authctl(['client', 'show', clientId]);
  expect(text.stdout).toContain(`client_id            ${clientId}\n`);
  expect(text.stdout).toContain('token lifetime       1h\n');
});

it('updates, disables, enables and deletes, each seen by the next token request', async () => {
  const clientId = await createClient();
  const { value } = await createSecret(clientId);
  const outcome = async () => {
    const { status, body } = await requestToken(clientId, value);
    return status === 200 ? `${String(body.expires_in)}: ${String(body.scope)}` : body.error;
  };
  expect(await outcome()).toBe('3600: messaging:view calls:view');
  await json(
    `client update ${clientId} --token-lifetime 1m --remove-scope messaging:view --add-scope numbers:view`,
  );
  expect(await outcome()).toBe('60: calls:view numbers:view');
  // The token of before lives for an hour, not for the minute of new ones.
  const disabled = await authctl(['client', 'disable', clientId]);
  expect(disabled.stderr).toContain('until they expire, at most 1h: docs/platform-api.md');
  expect(await outcome()).toBe('invalid_client');
  await json(['client', 'enable', clientId]);
  expect(await outcome()).toBe('60: calls:view numbers:view');
  expect(await json(['client', 'delete', clientId, '--yes'])).toEqual({
    client_id: clientId,
    deleted: true,
  });
  expect(await outcome()).toBe('invalid_client');
  expect((await authctl(['client', 'show', clientId])).exitCode).toBe(1);
});

it('lists clients as a table, as JSON and as ids', async () => {
  const clientId = await createClient();
  const table = await authctl(['client', 'list']);
  expect(table.stdout.split('\n')[0]).toMatch(
    /^CLIENT_ID +NAME +TRUNK GROUP +SCOPES +ENABLED +SECRETS +LAST USED +PROVIDER$/,
  );
  expect(table.stdout).toMatch(new RegExp(`^${clientId} +Billing +tg-1001 +messaging:view`, 'm'));
  const { items } = await json(['client', 'list']);
  expect(items).toContainEqual(expect.objectContaining({ client_id: clientId }));
  const ids = (await authctl(['client', 'list', '--quiet'])).stdout.trim().split('\n');
  expect(ids).toContain(clientId);
  expect(ids).toHaveLength((items as unknown[]).length);
});

it('shows a secret once, only on stdout', async () => {
  const clientId = await createClient();
  const created = await authctl(['client-secret', 'create', clientId, '--name', 'blue']);
  const value = /cs_\w+/.exec(created.stdout)?.[0] ?? '';
  expect(value).toMatch(/^cs_[0-9A-Za-z]{49}$/);
  expect(created.stderr).toBe('Keep the secret now: it is not shown again.\n');
  const later = await Promise.all([
    authctl(['client', 'show', clientId]),
    authctl(['client', 'show', clientId, '--json']),
    authctl(['client-secret', 'list', clientId, '--json']),
    authctl(['client-secret', 'list', clientId]),
  ]);
  expect(JSON.stringify(later)).not.toContain(value);
  expect(JSON.stringify(later)).not.toContain('sha256');
});

it('prints nothing but the secret with --quiet', async () => {
  const clientId = await createClient();
  const { stdout, stderr } = await authctl(['client-secret', 'create', clientId, '--quiet']);
  expect(stdout).toMatch(/^cs_[0-9A-Za-z]{49}\n$/);
  expect(stderr).toBe('');
});

it('tells on which day a secret was last used, and which ends soon', async () => {
  const clientId = await createClient();
  const old = await createSecret(clientId, '--name', 'old', '--expires-in', '10d');
  const idle = await createSecret(clientId, '--name', 'idle');
  expect((await requestToken(clientId, old.value)).status).toBe(200);
  const listed = async () => (await json(['client-secret', 'list', clientId])).items as object[];
  const today = new Date().toISOString().slice(0, 10);
  await expect
    .poll(listed)
    .toContainEqual(expect.objectContaining({ secret_id: old.secretId, last_used_on: today }));
  const { stdout } = await authctl(['client-secret', 'list', clientId]);
  expect(stdout).toMatch(new RegExp(`${old.secretId} +old +secret +expires soon .* ${today}`));
  expect(stdout).toMatch(new RegExp(`${idle.secretId} +idle +secret +active .* never +never`));
});

it('renames a secret, and moves and removes its end', async () => {
  const clientId = await createClient();
  const { secretId } = await createSecret(clientId);
  const update = ['client-secret', 'update', clientId, secretId];
  expect(await json([...update, '--name', 'blue', '--expires-at', '2099-01-01'])).toMatchObject({
    name: 'blue',
    expires_at: '2099-01-01T23:59:59Z',
    status: 'active',
  });
  expect(await json([...update, '--never-expires'])).not.toHaveProperty('expires_at');
});

it('explains why a request is refused, as the endpoint then does', async () => {
  const clientId = await createClient();
  const { value } = await createSecret(clientId);
  const ask = ['explain', 'token', '--client-id', clientId];
  const good = await authctl([...ask, '--scope', 'calls:view']);
  expect(good.exitCode).toBe(0);
  const refused = await authctl([...ask, '--scope', 'numbers:view', '--json']);
  expect(refused.exitCode).toBe(1);
  const { body } = await requestToken(clientId, value, { scope: 'numbers:view' });
  expect(JSON.parse(refused.stdout)).toMatchObject({ granted: false, ...body });
});

it('explains which rule refuses a credential', async () => {
  const clientId = await createClient();
  const { value } = await createSecret(clientId);
  const { body } = await requestToken(clientId, value);
  const stdin = `${String(body.access_token)}\n`;
  const ask = ['explain', 'request', '--bearer-stdin', '--source-ip', '203.0.113.9'];
  expect(await json([...ask, '--scope', 'calls:view'], { stdin })).toMatchObject({
    accepted: true,
    credential: 'access_token',
    client_id: clientId,
  });
  for (const header of ['authorization: Bearer', 'DPoP']) {
    const pasted = `${header} ${stdin}`;
    const seen = await json([...ask, '--scope', 'calls:view'], { stdin: pasted });
    expect(seen).toMatchObject({ accepted: true, client_id: clientId });
  }
  const refused = await authctl([...ask, '--scope', 'numbers:view'], { stdin });
  expect(refused.exitCode).toBe(1);
  expect(refused.stdout).toContain('Refused (insufficient_scope)');
  expect(refused.stdout + refused.stderr).not.toContain(String(body.access_token));
});

it('stops a trunk group with what it has, and resumes it', async () => {
  const [running, disabled] = [await createClient(), await createClient()];
  const { value } = await createSecret(running);
  const key = await json('api-key create --name A --trunk-group tg-1001'.split(' '));
  await authctl(['client', 'disable', disabled]);
  const before = (await json('client list --trunk-group tg-1001'.split(' ')))['items'];
  const counts = { clients: Object(before).length, api_keys: 1, providers: 0 };
  const said = { service_trunk_group: 'tg-1001', ...counts };
  const stopped = await json('trunk-group stop tg-1001 --yes'.split(' '));
  expect(stopped).toEqual({ ...said, stopped: true });
  expect((await requestToken(running, value)).status).toBe(401);
  expect((await json(['api-key', 'show', String(key['key_id'])]))['enabled']).toBe(false);
  const shown = await authctl('trunk-group-limits show tg-1001'.split(' '));
  expect(shown.stdout).toMatch(/stopped +stopped by a stop of its service trunk group \(arn:/);
  for (const refused of [
    'client enable {}',
    'client create --name B --trunk-group tg-1001 --scope calls:view',
  ]) {
    expect((await authctl(refused.replace('{}', running).split(' '))).exitCode).toBe(1);
  }
  const again = await authctl('trunk-group stop tg-1001 --yes'.split(' '));
  expect(again.stdout).toBe('Stopped 0 clients, 0 API keys, 0 providers of tg-1001.\n');
  expect(await json('trunk-group resume tg-1001 --yes'.split(' '))).toEqual({
    ...said,
    stopped: false,
  });
  expect((await requestToken(running, value)).status).toBe(200);
  expect((await json(['client', 'show', disabled]))['enabled']).toBe(false);
});
