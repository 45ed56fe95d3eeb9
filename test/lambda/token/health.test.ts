import { describe, expect, it } from 'vitest';
import { selfTestEvent } from '../../../contract/health.ts';
import { healthPath } from '../../../contract/routes.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import { lambdaContext } from '../../../lab/support/proxy-event.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';
import { tokenWorld, worldSigner } from '../../support/token-world.ts';

const health = { path: healthPath };

describe('GET /health', () => {
  it('says that the region issues tokens, and nothing else', async () => {
    const { call } = tokenWorld();
    expect(await call(health)).toMatchObject({
      statusCode: 200,
      body: '{"status":"ok"}',
      headers: { 'Cache-Control': 'no-store' },
    });
    expect(await call({ ...health, method: 'HEAD' })).toMatchObject({ statusCode: 200, body: '' });
  });

  it('reads a client that cannot exist, signs and verifies, once in ten seconds', async () => {
    const { call, stores, clock } = tokenWorld();
    await Promise.all([call(health), call(health)]);
    clock.now += 9;
    await call(health);
    expect(stores.findClient).toHaveBeenCalledTimes(1);
    expect(stores.sign).toHaveBeenCalledTimes(1);
    clock.now += 1;
    await call(health);
    expect(stores.sign).toHaveBeenCalledTimes(2);
  });

  it('signs nothing that could be taken for a token', async () => {
    const { call, stores } = tokenWorld();
    await call(health);
    const input = Buffer.from(stores.sign.mock.calls[0]?.[1] ?? []).toString();
    const [header, payload] = input
      .split('.')
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
    expect(header).toMatchObject({ typ: 'self-test+jwt' });
    expect(Object.keys(payload ?? {})).toEqual(['iat']);
  });

  type World = ReturnType<typeof tokenWorld>;

  it.each([
    ['KMS', (w: World) => w.stores.sign.mockRejectedValue(new UnavailableError('down'))],
    ['the key', (w: World) => w.stores.sign.mockRejectedValue(new SigningKeyUnusableError('off'))],
    ['the clients', (w: World) => w.stores.findClient.mockRejectedValue(new UnavailableError('d'))],
    ['the key list', (w: World) => w.stores.listSigningKeys.mockResolvedValue([])],
    ['the code', (w: World) => w.stores.sign.mockRejectedValue(new TypeError('defect'))],
    [
      'the signature',
      (w: World) =>
        w.stores.sign.mockImplementation(
          signWithKeys(makeSigningKey('ES256', { kmsKeyArn: worldSigner.key.kmsKeyArn })),
        ),
    ],
  ])('is 503 if %s fails, and well again within ten seconds', async (_name, breakIt) => {
    const world = tokenWorld();
    breakIt(world);
    expect(await world.call(health)).toMatchObject({
      statusCode: 503,
      headers: { 'Retry-After': '5' },
      body: '{"error":"temporarily_unavailable","error_description":"the service is unavailable, try again later"}',
    });
    const well = tokenWorld();
    world.stores.sign.mockImplementation(signWithKeys(worldSigner));
    world.stores.findClient.mockImplementation(well.stores.findClient);
    world.stores.listSigningKeys.mockImplementation(well.stores.listSigningKeys);
    world.clock.now += 10;
    expect(await world.call(health)).toMatchObject({ statusCode: 200 });
  });

  it.each(['POST', 'OPTIONS', 'DELETE'])('%s: 405', async (method) => {
    expect(await tokenWorld().call({ ...health, method })).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'GET, HEAD' },
    });
  });
});

describe('the self-test that the key rotation asks for', () => {
  it('runs again each time and says why it fails', async () => {
    const { handler, stores } = tokenWorld();
    const run = () => handler(selfTestEvent, lambdaContext());
    expect(await run()).toEqual({ ok: true });
    stores.sign.mockRejectedValue(new SigningKeyUnusableError('could not sign: AccessDenied'));
    expect(await run()).toEqual({
      ok: false,
      reason: expect.stringMatching(
        /^UnavailableError < SigningKeyUnusableError: no published key .* can sign; refused: .*AccessDenied$/,
      ),
    });
    stores.sign.mockImplementation(signWithKeys(worldSigner));
    expect(await run()).toEqual({ ok: true });
  });
});
