import { describe, expect, it } from 'vitest';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json } = useLocalCli();

async function createKey(...more: readonly string[]) {
  const created = await json([
    ...'api-key create --name Ada --trunk-group tg-1001'.split(' '),
    ...more,
  ]);
  return { keyId: String(created.key_id), value: String(created.api_key), acl: created.acl };
}

/** What the verifier says about a key from a source. */
async function decisionOn(
  value: string,
  source: string,
  ...more: readonly string[]
): Promise<string> {
  const run = await authctl(
    ['explain', 'request', '--bearer-stdin', '--source-ip', source, ...more, '--json'],
    { stdin: value },
  );
  const { accepted, reason } = JSON.parse(run.stdout) as { accepted: boolean; reason?: string };
  return accepted ? 'accepted' : String(reason);
}

it('creates a key, shows it once, and it is accepted from everywhere', async () => {
  const { keyId, value, acl } = await createKey();
  expect(value).toMatch(new RegExp(`^ak_${keyId.slice(4)}_\\w{49}$`));
  expect(acl).toEqual([]);
  expect(await decisionOn(value, '203.0.113.9')).toBe('accepted');
  const later = await Promise.all([
    authctl(['api-key', 'show', keyId, '--json']),
    authctl(['api-key', 'list', '--json']),
    authctl(['api-key', 'list']),
  ]);
  expect(JSON.stringify(later)).not.toContain(value);
  expect(JSON.stringify(later)).not.toContain('sha256');
});

it('expires, and its end is changed, removed and filtered by', async () => {
  const { keyId, value } = await createKey('--expires-in', '90d');
  const list = ['api-key', 'list', '--quiet', '--expires-within'];
  expect((await authctl([...list, '91d'])).stdout).toContain(keyId);
  expect((await authctl([...list, '89d'])).stdout).not.toContain(keyId);
  const never = await json(['api-key', 'update', keyId, '--never-expires']);
  expect(never.expires_at).toBeUndefined();
  const later = await json(['api-key', 'update', keyId, '--expires-at', '2100-03-31']);
  expect(later.expires_at).toBe('2100-03-31T23:59:59Z');
  expect(await decisionOn(value, '203.0.113.9')).toBe('accepted');
  const past = await authctl(['api-key', 'update', keyId, '--expires-at', '2020-03-31']);
  expect(past.exitCode).not.toBe(0);
  expect(past.stderr).toContain('a time in the future');
  const nothing = await authctl(['api-key', 'update', keyId]);
  expect(nothing.stderr).toContain('nothing to change');
});

it('has scopes by choice, which are changed and removed', async () => {
  const source = '203.0.113.9';
  const manage = ['--scope', 'messaging:manage'];
  const created = await authctl(
    'api-key create --name Ada --trunk-group tg-1001 --scope messaging:view'.split(' '),
  );
  expect(created.stdout).toMatch(/^scopes +messaging:view$/m);
  const value = /ak_\w+/.exec(created.stdout)?.[0] ?? '';
  const keyId = /key_\w{22}/.exec(created.stdout)?.[0] ?? '';
  expect(await decisionOn(value, source, '--scope', 'messaging:view')).toBe('accepted');
  expect(await decisionOn(value, source, ...manage)).toBe('api_key_scope_missing');
  expect(await json(['api-key', 'update', keyId, ...manage])).toMatchObject({
    scope: 'messaging:manage',
  });
  expect(await decisionOn(value, source, ...manage)).toBe('accepted');
  const all = await json(['api-key', 'update', keyId, '--every-scope']);
  expect(all).not.toHaveProperty('scope');
  const both = await authctl(['api-key', 'update', keyId, '--every-scope', ...manage]);
  expect(both.stderr).toContain("option '--every-scope' cannot be used with option '--scope");
});

it('gets another value, next to which the old one works until it is ended', async () => {
  const source = '203.0.113.9';
  const { keyId, value } = await createKey();
  const rotate = ['api-key', 'rotate', keyId, '--expire-old-in', '7d'];
  const sent = [...rotate, '--idempotency-key', `rotation-of-${keyId}`];
  const rotated = await json(sent);
  const again = await authctl(sent);
  expect(again.stdout).not.toContain('ak_');
  expect(again.stderr).toMatch(/^An earlier call .* rotated the key and was shown its value\.$/m);
  expect(rotated).toMatchObject({ key_id: keyId, old_values: [{ value_id: keyId }] });
  const next = String(rotated.api_key);
  expect([await decisionOn(value, source), await decisionOn(next, source)]).toEqual([
    'accepted',
    'accepted',
  ]);
  const shown = await authctl(['api-key', 'show', keyId]);
  expect(shown.stdout).toMatch(/^old value expires +\d{4}-/m);
  expect(shown.stdout).not.toContain(next);
  await json(['api-key', 'update', keyId, '--end-old-values']);
  expect([await decisionOn(value, source), await decisionOn(next, source)]).toEqual([
    'api_key_wrong',
    'accepted',
  ]);
  const unconfirmed = await authctl(['api-key', 'rotate', keyId, '--expire-old-in', '0s']);
  expect(unconfirmed.stderr).toContain(`Expire the present value of ${keyId} at once?`);
  expect(await decisionOn(next, source)).toBe('accepted');
});

describe('the list of a key', () => {
  it('loses its last subnet only with --allow-any-source', async () => {
    const { keyId, value } = await createKey('--allow', 'office=203.0.113.0/24');
    const { items } = await json(['api-key-subnet', 'list', keyId]);
    const [{ subnet_id: subnetId }] = items as [{ subnet_id: string }];
    const remove = ['api-key-subnet', 'remove', keyId, subnetId, '--yes'];
    const refused = await authctl(remove);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('is the last subnet');
    expect(await decisionOn(value, '198.51.100.1')).toBe('api_key_source_refused');
    expect(await json([...remove, '--allow-any-source'])).toMatchObject({ removed: true, acl: [] });
    expect(await decisionOn(value, '198.51.100.1')).toBe('accepted');
  });

  it('warns that the first subnet shuts all others out', async () => {
    const { keyId } = await createKey();
    const { stderr } = await authctl(
      `api-key-subnet add ${keyId} --name office --address 203.0.113.0 --netmask 24`,
    );
    expect(stderr).toBe(
      `Until now every source could use ${keyId}; from now on only this subnet can.\n`,
    );
  });
});
