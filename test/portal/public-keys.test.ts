import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createTestKey } from '../../lab/support/test-issuer.ts';
import { createPortalWorld, personOf } from './portal-world.ts';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = { format: 'pem', type: 'spki' } as const;
const pem = () => pair().publicKey.export(spki).toString();

it('a public key is added as PEM or JWK, shown by thumbprint and algorithm, and rotated without the secrets', async () => {
  const world = await createPortalWorld();
  const { management, clientId, secretId, get, post } = world;
  const [added] = [await post(`/clients/${clientId}/keys`, { publicKey: pem(), name: 'blue' })];
  expect(added.headers.get('location')).toBe(`/clients/${clientId}?done=key-added`);
  const { version } = await management.findClient(clientId);
  const jwk = createTestKey('ES256');
  const rotation = { publicKey: JSON.stringify(jwk.jwk), overlap: '1d', ifVersion: `${version}` };
  const form = await (await get(`/clients/${clientId}/keys/rotate`)).text();
  expect(form).toContain('<li>blue ');
  expect(form).not.toContain(secretId.slice(-6));
  expect((await post(`/clients/${clientId}/keys/rotate`, rotation)).status).toBe(303);

  const { secrets } = await management.findClient(clientId);
  expect(secrets.map(({ name, alg, expiresAt }) => [name, alg, expiresAt])).toEqual([
    [undefined, undefined, undefined],
    ['blue', 'ES256', world.now + 86_400],
    [undefined, 'ES256', undefined],
  ]);
  const page = await (await get(`/clients/${clientId}`)).text();
  expect(page).toContain(`ES256, thumbprint <code>${jwk.kid}</code>`);
  expect(page).toContain('Secrets and keys');
});

it('a private key is refused before anything is stored, sent or logged, and no page has it', async () => {
  const world = await createPortalWorld();
  const { clientId, post, audit, requests, faults } = world;
  const { privateKey } = pair();
  const before = JSON.stringify([...world.clients, audit]);
  for (const publicKey of [
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    JSON.stringify(privateKey.export({ format: 'jwk' })),
  ]) {
    const wrong = { publicKey, name: 'x'.repeat(200), overlap: '1d' };
    for (const [path, form] of [
      [`/clients/${clientId}/keys`, { publicKey }],
      [`/clients/${clientId}/keys`, wrong],
      [`/clients/${clientId}/keys/rotate`, { ...wrong, ifVersion: '1' }],
    ] as const) {
      const page = await (await post(path, form)).text();
      expect(page).toContain('Nothing was stored, because the key is private');
      expect(page).not.toContain(publicKey.slice(40, 60));
    }
    world.signInAs(undefined);
    expect(await (await post(`/clients/${clientId}/keys`, { publicKey })).text()).not.toContain(
      publicKey.slice(40, 60),
    );
    world.signInAs(personOf('administrator'));
  }
  expect(JSON.stringify([...world.clients, audit])).toBe(before);
  expect(JSON.stringify([requests, faults])).not.toMatch(/PRIVATE|"d"/);
});

it('without clientKeys there is no form for keys, and with clientKeys.only none for secrets', async () => {
  const off = await createPortalWorld();
  const { clientKeys, ...config } = off.context.config;
  Object.assign(off.context, { config });
  const page = await (await off.get(`/clients/${off.clientId}`)).text();
  expect(page).not.toMatch(/keys\/new|Secrets and keys/);
  expect((await off.get(`/clients/${off.clientId}/keys/new`)).status).toBe(404);
  Object.assign(off.context, { config: { ...config, clientKeys: { ...clientKeys, only: true } } });
  const only = await (await off.get(`/clients/${off.clientId}`)).text();
  expect(only).toContain('keys/new');
  expect(only).not.toContain('secrets/new');
  expect(only).toContain('private_key_jwt');
});

it('for an audience with required proofs, the page says so in place of the commands', async () => {
  const { context, clientId, get } = await createPortalWorld();
  const { config } = context;
  const show = async (mode: 'allowed' | 'required') => {
    const dpop = { audiences: { [config.defaultAudience]: mode }, algorithms: ['ES256'] };
    Object.assign(context, { config: { ...config, dpop } });
    return (await get(`/clients/${clientId}`)).text();
  };
  expect(await show('allowed')).toMatch(/curl -u (?!.*RFC 9449)/s);
  expect(await show('required')).toMatch(/^(?!.*curl -u).*RFC 9449/s);
});
