import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import {
  type PortalProcess,
  type PortalStart,
  type PortalVisitor,
  signIn,
  startPortalProcess,
} from '../../../lab/support/portal-process.ts';
import { figure } from '../../support/figure.ts';
import { useLocalCli } from './use-authctl.ts';

const { service, authctl, json, requestToken } = useLocalCli();

const running: PortalProcess[] = [];
afterAll(() => Promise.all(running.map((portal) => portal.stop())));

async function start(options: Partial<PortalStart> = {}): Promise<PortalProcess> {
  const { environment } = service();
  const portal = await startPortalProcess({ environment, ...options });
  running.push(portal);
  return portal;
}

describe('the link of authctl portal', () => {
  it('signs in one browser, once', async () => {
    const portal = await start();
    expect(portal.url.startsWith(`${portal.address}/enter/`)).toBe(true);
    expect((await fetch(`${portal.address}/`)).status).toBe(401);
    expect((await fetch(`${portal.origin}/`)).status).toBe(401);
    const visitor = await signIn(portal);
    const page = await visitor.get('/');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(portal.person);
    expect((await fetch(portal.url, { redirect: 'manual' })).status).toBe(401);
  });

  it('listens on loopback only, and refuses another name', async () => {
    const { origin } = await start();
    expect(new URL(origin).hostname).toBe('127.0.0.1');
    const elsewhere = await fetch(origin.replace('127.0.0.1', 'localhost'));
    expect(elsewhere.status).toBe(421);
  });

  it('is good until Ctrl-C', async () => {
    const portal = await start();
    expect(await portal.stop()).toBe('SIGINT');
    await expect(fetch(portal.url)).rejects.toThrow();
  });
});

describe('authctl portal', () => {
  it('shows only the trunk groups that it is limited to', async () => {
    const create = (group: string) =>
      json(['api-key', 'create', '--name', `key of ${group}`, '--trunk-group', group]);
    await create('tg-1');
    const foreign = await create('tg-9');
    const visitor = await signIn(await start({ args: ['--only-trunk-group', 'tg-1'] }));
    const list = await (await visitor.get('/api-keys')).text();
    expect(list).toContain('key of tg-1');
    expect(list).not.toContain('key of tg-9');
    expect((await visitor.get(`/api-keys/${String(foreign['key_id'])}`)).status).toBe(404);
  });

  it('refuses a port that is no port, or is in use', async () => {
    const refused = await authctl(['portal', '--port', '70000']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--port: received "70000"; allowed: 0 to 65535');
    const server = createServer();
    const port = await listenOnLoopback(server);
    const taken = await authctl(['portal', '--port', String(port)]);
    server.close();
    expect(taken).toMatchObject({ exitCode: 2, stdout: '' });
    expect(taken.stderr).toContain(`--port: ${port} is in use`);
  });

  it('says that the function does not answer', async () => {
    const environment = { ...service().environment, AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:1' };
    const visitor = await signIn(await start({ environment }));
    const page = await visitor.get('/clients');
    expect(page.status).toBe(503);
    expect(await page.text()).toContain('The management function does not answer');
  });
});

describe('a value that the portal shows once', () => {
  let portal: PortalProcess;
  let visitor: PortalVisitor;
  let clientId: string;
  const values: string[] = [];
  const later: string[] = [];

  async function showOnce(path: string, form: Readonly<Record<string, string>>): Promise<void> {
    const shown = await (await visitor.post(path, form)).text();
    const [value = ''] = /(?:cs|ak)_\w{40,}/.exec(shown) ?? [];
    expect(value).not.toBe('');
    values.push(value);
    // A reload sends the same form again.
    later.push(await (await visitor.post(path, form)).text());
  }

  beforeAll(async () => {
    portal = await start();
    visitor = await signIn(portal);
    const form = { name: 'Shown', serviceTrunkGroup: 'tg-1', scopes: 'calls:view' };
    const created = await visitor.post('/clients', { ...form, tokenLifetime: '1h' });
    clientId = /client_\w+/.exec(created.headers.get('location') ?? '')?.[0] ?? '';
    const secrets = `/clients/${clientId}/secrets`;
    const requestId = () => crypto.randomUUID();
    await showOnce(secrets, { requestId: requestId(), ends: 'never', ifVersion: '1' });
    const page = await (await visitor.get(`${secrets}/rotate`)).text();
    const [, ifVersion = ''] = /name="ifVersion" value="(\d+)"/.exec(page) ?? [];
    await showOnce(`${secrets}/rotate`, {
      requestId: requestId(),
      overlap: '604800',
      ends: 'never',
      ifVersion,
    });
    const key = { name: 'Ada', serviceTrunkGroup: 'tg-1', enabled: 'yes', rows: '0' };
    await showOnce('/api-keys', { ...key, requestId: requestId() });
  });

  it('is real: the token endpoint and the example API take it', async () => {
    const [secret = '', rotated = '', apiKey = ''] = values;
    expect((await requestToken(clientId, secret)).status).toBe(200);
    expect((await requestToken(clientId, rotated)).status).toBe(200);
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await fetch(service().exampleUrl, { headers })).status).toBe(200);
  });

  it('is in no later response, no output, no audit and no log', async () => {
    for (const path of ['/', '/clients', `/clients/${clientId}`, '/api-keys', '/audit']) {
      later.push(await (await visitor.get(path)).text());
    }
    const { items } = await json(['audit', 'list']);
    const places = {
      'later responses': later.join('\n'),
      'outputs of the command': portal.output(),
      'the audit': JSON.stringify(items),
      'the log of the functions': readFileSync(service().paths.log, 'utf8'),
    };
    const found = Object.entries(places).filter(([, text]) =>
      values.some((value) => text.includes(value)),
    );
    figure('values that the portal shows once', {
      values: values.length,
      'later responses': later.length,
      'audit records': (items as readonly object[]).length,
      places: Object.keys(places).length,
      found: found.length,
    });
    expect(values).toHaveLength(3);
    expect(found).toEqual([]);
    // Each place was looked at: it has what was made.
    expect(places['the audit']).toContain(clientId);
    expect(places['later responses']).toContain(clientId);
  });

  it('is made by the person whose AWS credentials the command has', async () => {
    const { items } = await json(['audit', 'list', '--subject', clientId]);
    const actors = (items as readonly { readonly actor: string }[]).map(({ actor }) => actor);
    expect(new Set(actors)).toEqual(new Set([portal.person]));
    expect(portal.person).toMatch(/^arn:aws:/);
  });
});
