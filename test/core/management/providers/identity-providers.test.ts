import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NotFoundError, RefusedError } from '../../../../core/errors.ts';
import { formatCursor } from '../../../../core/management/list-query.ts';
import { createTestManagement, type TestManagement } from '../../../support/management.ts';
import {
  createClient,
  deleteProvider,
  listProviders,
  registerProvider,
} from '../../../support/operations.ts';

const issuer = 'https://idp.example.net';
const url = `${issuer}/.well-known/openid-configuration`;
const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const keys = { keys: [{ ...jwk, kid: 'a', alg: 'RS256', use: 'sig' }] };
const document = {
  issuer,
  jwks_uri: `${issuer}/keys`,
  id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256'],
};

function withProvider(): TestManagement {
  const test = createTestManagement();
  test.documents.set(url, document).set(document.jwks_uri, keys);
  return test;
}

async function addClient(test: TestManagement, name: string): Promise<string> {
  const { client } = await createClient(test.context, {
    name,
    serviceTrunkGroup: 'tg-1',
    scopes: ['calls:view'],
    provider: issuer,
    externalClientId: name,
  });
  return client.clientId;
}

describe('registering a provider', () => {
  it('fills in what its documents say', async () => {
    const test = withProvider();
    const { provider, keySet } = await registerProvider(test.context, url);
    expect(provider).toEqual({
      issuer,
      registrationId: expect.stringMatching(/^idp_[0-9A-Za-z]{22}$/),
      discoveryUrl: url,
      jwksUri: document.jwks_uri,
      allowedAlgorithms: ['RS256', 'ES256'],
      registeredAt: test.now,
    });
    expect(keySet.keys.map(({ kid }) => kid)).toEqual(['a']);
    expect([...test.providers.values()]).toEqual([provider]);
    expect(test.audit.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['identity_provider.register', 'intended'],
      ['identity_provider.register', 'done'],
    ]);
  });

  it('takes the algorithms of the keys if the document names none', async () => {
    const test = withProvider();
    test.documents.set(url, { issuer, jwks_uri: document.jwks_uri });
    const { provider } = await registerProvider(test.context, url);
    expect(provider.allowedAlgorithms).toEqual(['RS256']);
  });

  it('takes a URL of another form if the issuer confirms it', async () => {
    const test = withProvider();
    const other = 'https://idp.example.net/meta?app=7';
    test.documents.set(other, { ...document, jwks_uri: 'https://idp.example.net/others' });
    const { provider } = await registerProvider(test.context, other);
    expect(provider).toMatchObject({ discoveryUrl: url, jwksUri: document.jwks_uri });
  });

  it.each<[string, (test: TestManagement) => void, string]>([
    [
      'a document that speaks for another issuer, which does not confirm it',
      ({ documents }) => documents.set(url, { ...document, issuer: 'https://victim.example' }),
      'https://victim.example/.well-known/openid-configuration cannot be fetched',
    ],
    [
      'a document whose issuer differs by a trailing slash at its own place',
      ({ documents }) =>
        documents
          .set('https://idp.example.net/x', { ...document, issuer: `${issuer}/` })
          .set(url, document),
      'says https://idp.example.net (RFC 8414 §3.3)',
    ],
    [
      'a key set inside',
      ({ documents }) => documents.set(url, { ...document, jwks_uri: 'https://10.0.0.1/' }),
      'jwks_uri of the discovery document: received "https://10.0.0.1/"',
    ],
    [
      'our own issuer under another name',
      ({ documents }) =>
        documents
          .set(url, { ...document, issuer: 'https://slc.auth.example.com' })
          .set('https://slc.auth.example.com/.well-known/openid-configuration', {
            ...document,
            issuer: 'https://slc.auth.example.com',
          }),
      'https://slc.auth.example.com is this service itself',
    ],
  ])('refuses %s, and stores nothing', async (_, prepare, message) => {
    const test = withProvider();
    prepare(test);
    const place = test.documents.has('https://idp.example.net/x')
      ? 'https://idp.example.net/x'
      : url;
    await expect(registerProvider(test.context, place)).rejects.toThrow(message);
    expect(test.providers.size).toBe(0);
    expect(test.audit).toEqual([]);
  });

  it.each([
    ['http://idp.example.net/', 'discovery_url: received "http://idp.example.net/"; allowed: an'],
    ['https://169.254.169.254/', 'allowed: a host on the public internet'],
    ['https://auth.example.com/', 'allowed: any service but this one'],
    ['https://pit.auth.example.com/', 'allowed: any service but this one'],
  ])('refuses the URL %s before anything is fetched', async (text, message) => {
    const { context } = createTestManagement({
      fetchJson: () => Promise.reject(new Error('fetched')),
    });
    await expect(registerProvider(context, text)).rejects.toThrow(message);
  });

  it('refuses an issuer that is registered', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    await expect(registerProvider(test.context, url)).rejects.toThrow(
      'the provider https://idp.example.net is registered; a provider is not edited',
    );
  });
});

describe('deleting a provider', () => {
  it('is refused if it has clients, and names them', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    const a = await addClient(test, 'a');
    const b = await addClient(test, 'b');
    const deleting = deleteProvider(test.context, issuer);
    await expect(deleting).rejects.toThrow(RefusedError);
    await expect(deleting).rejects.toThrow(`has 2 clients: ${a} (a), ${b} (b). Delete them first`);
    expect(test.providers.size).toBe(1);
    expect(test.clients.size).toBe(2);
  });

  it('speaks of one client in the singular', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    const a = await addClient(test, 'a');
    await expect(deleteProvider(test.context, issuer)).rejects.toThrow(
      `has a client: ${a} (a). Delete it first, or add --cascade`,
    );
  });

  it('takes the clients with it if that is meant, and before it', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    await addClient(test, 'a');
    await createClient(test.context, {
      name: 'ours',
      serviceTrunkGroup: 'tg-1',
      scopes: ['calls:view'],
    });
    const gone = await deleteProvider(test.context, issuer, { cascade: true });
    expect(gone.nextCursor).toBeUndefined();
    expect(gone.items.map(({ name }) => name)).toEqual(['a']);
    expect([...test.clients.values()].map(({ name }) => name)).toEqual(['ours']);
    expect(await listProviders(test.context)).toEqual([]);
    const done = test.audit.filter(({ outcome }) => outcome === 'done').map((r) => r.action);
    expect(done.slice(-2)).toEqual(['client.delete', 'identity_provider.delete']);
  });

  it('reads one page of clients a call, and ends with the provider', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await addClient(test, name);
    const steps: number[] = [];
    const deletion = { at: test.now, by: expect.stringContaining('user/ada') };
    let cursor: string | undefined;
    do {
      expect(test.providers.size).toBe(1);
      const isFirst = steps.length === 0;
      expect(test.providers.get(issuer)?.stops).toEqual(isFirst ? undefined : { deletion });
      const step = await deleteProvider(test.context, issuer, { cascade: true, limit: 2, cursor });
      steps.push(step.items.length);
      cursor = step.nextCursor;
    } while (cursor !== undefined);
    expect(steps).toEqual([2, 2, 1]);
    expect([test.clients.size, test.providers.size]).toEqual([0, 0]);
    const stops = test.audit.filter(({ action }) => action === 'identity_provider.stop');
    expect(stops.map(({ outcome }) => outcome)).toEqual(['intended', 'done']);
  });

  it('passes over no client by a cursor that was made up', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    await addClient(test, 'a');
    const cursor = formatCursor('zzz');
    await expect(deleteProvider(test.context, issuer, { cursor })).rejects.toThrow('has a client');
    expect(test.providers.size).toBe(1);
    const { items } = await deleteProvider(test.context, issuer, { cursor, cascade: true });
    expect([items.length, test.clients.size, test.providers.size]).toEqual([1, 0, 0]);
  });

  it('gets no clients while it is being deleted', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    for (const name of ['a', 'b']) await addClient(test, name);
    await deleteProvider(test.context, issuer, { cascade: true, limit: 1 });
    await expect(addClient(test, 'c')).rejects.toThrow('is stopped by its deletion');
  });

  it('deletes nothing without cascade if clients come on a later page', async () => {
    const test = withProvider();
    await registerProvider(test.context, url);
    await addClient(test, 'late');
    for (const name of ['ours', 'ours too']) {
      const scopes = ['calls:view'];
      await createClient(test.context, { name, serviceTrunkGroup: 'tg-1', scopes });
    }
    const deleteInSteps = async () => {
      let cursor: string | undefined;
      do {
        ({ nextCursor: cursor } = await deleteProvider(test.context, issuer, { limit: 1, cursor }));
      } while (cursor !== undefined);
    };
    await expect(deleteInSteps()).rejects.toThrow('has a client');
    expect([test.clients.size, test.providers.size]).toEqual([3, 1]);
  });

  it('is refused if there is none', async () => {
    const { context } = createTestManagement();
    await expect(deleteProvider(context, issuer, { cascade: true })).rejects.toThrow(NotFoundError);
  });
});
