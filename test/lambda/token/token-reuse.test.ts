import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow } from '../../../lab/support/token-settings.ts';
import { tokenWorld, worldSigner } from '../../support/token-world.ts';

const reusing = (clients = [makeClient()]) =>
  tokenWorld(clients, undefined, { AUTH_TOKEN_REUSE_SHARE: 0.5 });

type World = ReturnType<typeof reusing>;

async function issue(world: World, secret = 1) {
  const headers = { Authorization: basic(clientIdOf(1), secretValueOf(secret)) };
  const { statusCode, body } = await world.issue({ headers });
  return { statusCode, ...(JSON.parse(body) as { access_token: string; expires_in: number }) };
}

describe('a deployment that reuses tokens', () => {
  it('gives the same token with what is left of its life', async () => {
    const world = reusing();
    const first = await issue(world);
    world.clock.now += 600;
    const second = await issue(world);
    expect(second.access_token).toBe(first.access_token);
    expect([first.expires_in, second.expires_in]).toEqual([3600, 3000]);
    expect(decodeJwt(second.access_token).exp).toBe(world.clock.now + second.expires_in);
    expect(world.stores.sign).toHaveBeenCalledTimes(1);
  });

  it('says so in its log, with the id of the token that was given', async () => {
    const world = reusing();
    const { access_token } = await issue(world);
    await issue(world);
    const { jti } = decodeJwt(access_token);
    expect(world.reports.map(({ fields }) => [fields['jti'], fields['reused']])).toEqual([
      [jti, undefined],
      [jti, true],
    ]);
  });

  it('reads the client and checks the secret each time', async () => {
    const world = reusing();
    await issue(world);
    expect(await issue(world, 2)).toMatchObject({ statusCode: 401, error: 'invalid_client' });
    expect(world.stores.findClient).toHaveBeenCalledTimes(2);
  });

  it('gives nothing by a secret that was revoked, or from a client that was disabled', async () => {
    const world = reusing();
    await issue(world);
    world.byId.set(clientIdOf(1), makeClient({ secrets: [], version: 2 }));
    expect(await issue(world)).toMatchObject({ statusCode: 401 });
    world.byId.set(clientIdOf(1), makeClient({ enabled: false, version: 3 }));
    expect(await issue(world)).toMatchObject({ statusCode: 401 });
  });

  it('gives a client that was deleted and created again under the same ids a token of its own', async () => {
    const world = reusing();
    const first = await issue(world);
    const { secretId } = makeSecret(secretValueOf(1));
    const secrets = [makeSecret(secretValueOf(2), { secretId })];
    world.byId.set(clientIdOf(1), makeClient({ secrets }));
    const second = await issue(world, 2);
    expect(second.statusCode).toBe(200);
    expect(decodeJwt(second.access_token).jti).not.toBe(decodeJwt(first.access_token).jti);
  });

  it('gives each secret its own token', async () => {
    const secrets = [makeSecret(secretValueOf(1)), makeSecret(secretValueOf(2))];
    const world = reusing([makeClient({ secrets })]);
    const [first, second] = [await issue(world, 1), await issue(world, 2)];
    expect(second.access_token).not.toBe(first.access_token);
  });

  it('gives no token of the key before, once another signs', async () => {
    const world = reusing();
    const next = makeSigningKey('ES256', { publishedAt: worldNow - 10_000 });
    const first = await issue(world);
    const previous = {
      ...worldSigner.key,
      state: 'previous',
      withdrawAt: worldNow + 90_000,
    } as const;
    world.stores.listSigningKeys.mockResolvedValue([previous, next.key]);
    world.stores.sign.mockImplementation(signWithKeys(worldSigner, next));
    world.clock.now += 60;
    const second = await issue(world);
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.expires_in).toBe(3600);
  });

  it('does not exist unless it says so', async () => {
    const world = tokenWorld();
    const [first, second] = [await issue(world), await issue(world)];
    expect(second.access_token).not.toBe(first.access_token);
  });
});
