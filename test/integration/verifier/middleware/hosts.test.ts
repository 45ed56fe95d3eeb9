import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerifier, type Verifier } from '../../../../verifier/verifier.ts';
import { fetchToken, useLocalService } from '../../lab/local/use-local-service.ts';
import { type Host, hosts } from './hosts.ts';

const service = useLocalService();
let verifier: Verifier;
let token: string;
let tls: { readonly key: string; readonly cert: string };

beforeAll(async () => {
  const { environment, issuer } = service();
  verifier = createVerifier({ issuer, audience: environment['AUDIENCE'] ?? '' });
  token = await fetchToken(service(), { scope: 'messaging:view' });
  const pems = await generate([{ name: 'commonName', value: 'localhost' }]);
  tls = { key: pems.private, cert: pems.cert };
});

describe.each(Object.entries(hosts))('middleware for %s', (name, start) => {
  let host: Host;
  beforeAll(async () => {
    host = await start(verifier, tls);
  });
  afterAll(() => host.close());

  it('lets a good token through, and says who calls', async () => {
    const { status, body } = await host.get([`Bearer ${token}`]);
    expect([status, JSON.parse(body)]).toMatchObject([200, { clientId: service().clientId }]);
  });

  it.each([
    ['no credential', [], 401],
    ['a bad token', ['Bearer a.b.c'], 401],
  ] as const)('refuses %s', async (_, credentials, status) => {
    const answer = await host.get(credentials);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      status,
      expect.objectContaining({ error: 'invalid_token' }),
    ]);
  });

  it.for([
    { what: 'the same twice', credentials: () => [`Bearer ${token}`, `Bearer ${token}`] },
    { what: 'a good one first', credentials: () => [`Bearer ${token}`, 'Bearer other'] },
    { what: 'a good one last', credentials: () => ['Bearer other', `Bearer ${token}`] },
  ])('refuses two credentials: $what', async ({ credentials }, { skip }) => {
    if (host.onlyOne !== undefined) skip(host.onlyOne);
    const { status, body } = await host.get(credentials());
    expect([400, 401], `${name}: ${body}`).toContain(status);
  });
});
