import { describe, expect, it } from 'vitest';
import { healthPath } from '../../../contract/routes.ts';
import { ServiceUnavailableError, UnavailableError } from '../../../core/errors.ts';
import { signWithKeys } from '../../../lab/support/signing-keys.ts';
import { tokenWorld, worldSigner } from '../../support/token-world.ts';

const throttling = new ServiceUnavailableError('KMS', 'throttled', { isThrottling: true });

const limited = { fairShare: 'enforce', signsPerMinute: 3 } as const;

type World = ReturnType<typeof tokenWorld>;

describe('a client that asks for more tokens than it may', () => {
  it('gets 429, a time to wait, and what to do; the log has the reason', async () => {
    const world = tokenWorld(undefined, undefined, limited);
    for (let n = 0; n < 3; n++) expect((await world.issue()).statusCode).toBe(200);
    expect(await world.issue()).toMatchObject({
      statusCode: 429,
      headers: { 'Retry-After': '5', 'Cache-Control': 'no-store' },
      body: '{"error":"temporarily_unavailable","error_description":"this client, or its trunk group, asks for too many tokens, use each one until it expires"}',
    });
    expect(world.reports.at(-1)).toMatchObject({
      level: 'warn',
      outcome: 'client_throttled',
      fields: { reason: 'client_signs_per_minute', client_throttle: 'client_signs_per_minute' },
    });
    expect(world.stores.sign).toHaveBeenCalledTimes(3);
  });

  it('is not limited, but named in the log, if limits are only counted', async () => {
    const world = tokenWorld(undefined, undefined, { ...limited, fairShare: 'count' });
    for (let n = 0; n < 4; n++) await world.issue();
    expect(world.reports.at(-1)).toMatchObject({
      outcome: 'issued',
      fields: { client_throttle: 'client_signs_per_minute' },
    });
  });

  it('has no limit without the setting', async () => {
    const world = tokenWorld();
    for (let n = 0; n < 300; n++) expect((await world.issue()).statusCode).toBe(200);
  });
});

describe('GET /health while KMS throttles', () => {
  const health = { path: healthPath };
  const throttle = (world: World) => world.stores.sign.mockRejectedValue(throttling);

  async function signedThenThrottled(): Promise<World> {
    const world = tokenWorld();
    await world.issue();
    throttle(world);
    return world;
  }

  it('is well for a minute after the last signature', async () => {
    const world = await signedThenThrottled();
    world.clock.now += 59;
    expect((await world.call(health)).statusCode).toBe(200);
    world.clock.now += 10;
    expect((await world.call(health)).statusCode).toBe(503);
    world.stores.sign.mockImplementation(signWithKeys(worldSigner));
    world.clock.now += 10;
    expect((await world.call(health)).statusCode).toBe(200);
  });

  it('is 503 if this instance never signed', async () => {
    const world = tokenWorld();
    throttle(world);
    expect((await world.call(health)).statusCode).toBe(503);
  });

  it('is 503 if the clients cannot be read either', async () => {
    const world = await signedThenThrottled();
    world.stores.findClient.mockImplementation(async () => {
      await Promise.resolve();
      throw new UnavailableError('down');
    });
    expect((await world.call(health)).statusCode).toBe(503);
  });
});
