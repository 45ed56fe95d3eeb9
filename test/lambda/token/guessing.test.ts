import { describe, expect, it } from 'vitest';
import { authenticationFailureThrottle as limits } from '../../../contract/bounds.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { clientIdOf, secretValueOf } from '../../../lab/support/clients.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { figure } from '../../support/figure.ts';
import { goodAuthorization, tokenWorld } from '../../support/token-world.ts';

type World = ReturnType<typeof tokenWorld>;

async function guess(
  world: World,
  times: number,
  clientId: string,
  sourceOf: (index: number) => string = () => '192.0.2.1',
  place: 'header' | 'body' = 'header',
) {
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const sourceIp = sourceOf(index);
    const secret = `guess-${index}`;
    const Authorization = place === 'body' ? [] : basic(clientId, secret);
    const posted = `&client_id=${clientId}&client_secret=${secret}`;
    const body = `grant_type=client_credentials${place === 'body' ? posted : ''}`;
    statuses.push((await world.issue({ headers: { Authorization }, body, sourceIp })).statusCode);
  }
  return statuses;
}

describe('a thousand guesses at the secret of one client', () => {
  it('from one address are refused unseen after the first few', async () => {
    const world = tokenWorld();
    const statuses = await guess(world, 1000, clientIdOf(1));
    expect(statuses.filter((status) => status === 401)).toHaveLength(limits.distinctSecrets);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1000 - limits.distinctSecrets);
    expect(world.stores.findClient).toHaveBeenCalledTimes(limits.distinctSecrets);
  });

  it('count together, in the header and in the body', async () => {
    const world = tokenWorld(undefined, undefined, { clientSecretPost: true });
    await guess(world, limits.distinctSecrets, clientIdOf(1), undefined, 'body');
    expect(await guess(world, 1, clientIdOf(1))).toEqual([429]);
    expect(await guess(world, 1, clientIdOf(1), undefined, 'body')).toEqual([429]);
    expect(world.stores.findClient).toHaveBeenCalledTimes(limits.distinctSecrets);
  });

  it('from many addresses are slowed down at each of them', async () => {
    const world = tokenWorld();
    const statuses = await guess(world, 1000, clientIdOf(1), (index) => `192.0.2.${index % 20}`);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20 * limits.distinctSecrets);
  });

  it('do not lock the client out: it gets in from another address', async () => {
    const world = tokenWorld();
    const statuses = await guess(world, 1000, clientIdOf(1));
    const headers = { Authorization: goodAuthorization };
    const elsewhere = await world.issue({ headers, sourceIp: '198.51.100.7' });
    figure('guesses at one client from one address', {
      guesses: statuses.length,
      'looked at': statuses.filter((status) => status === 401).length,
      'answered 429': statuses.filter((status) => status === 429).length,
      'the client from elsewhere': elsewhere.statusCode,
    });
    expect(elsewhere.statusCode).toBe(200);
    expect((await world.issue({ headers })).statusCode).toBe(429);
    world.clock.now += limits.window;
    expect((await world.issue({ headers })).statusCode).toBe(200);
  });

  it('get the answer of throttling, with when to come back', async () => {
    const world = tokenWorld();
    await guess(world, limits.distinctSecrets, clientIdOf(1));
    world.clock.now += 15;
    expect(await world.issue()).toEqual({
      statusCode: 429,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        Pragma: 'no-cache',
        'Retry-After': String(limits.window - 15),
        'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
        'X-Content-Type-Options': 'nosniff',
      },
      body: '{"error":"temporarily_unavailable","error_description":"too many requests, try again later"}',
    });
  });

  it.each([
    ['a client that exists', clientIdOf(1)],
    ['a client that does not', clientIdOf(9)],
    ['no client id at all', 'somebody'],
  ])('at %s look the same from outside', async (_, clientId) => {
    const world = tokenWorld();
    const statuses = await guess(world, 30, clientId);
    expect(statuses).toEqual(
      Array.from({ length: 30 }, (_unused, at) => (at < limits.distinctSecrets ? 401 : 429)),
    );
  });

  it('are a security event in the log and a metric', async () => {
    const { reports, ...world } = tokenWorld();
    await guess({ ...world, reports }, limits.distinctSecrets + 1, clientIdOf(1));
    expect(reports.at(-1)).toMatchObject({
      level: 'warn',
      outcome: 'throttled',
      statusCode: 429,
      measures: new Map([['ThrottledAuthentications', 1]]),
      fields: {
        security_event: 'authn_login_fail_max',
        client_id: clientIdOf(1),
        source_ip: '192.0.2.1',
      },
    });
  });
});

describe('a deployment with an old secret', () => {
  it('holds up none that has the right one, at the same address', async () => {
    const world = tokenWorld();
    const headers = { Authorization: basic(clientIdOf(1), secretValueOf(2)) };
    const statuses: number[] = [];
    for (let count = 0; count < 50; count += 1) {
      statuses.push((await world.issue({ headers })).statusCode);
      expect((await world.issue()).statusCode).toBe(200);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(limits.repetitions);
  });
});

describe('a table that does not answer', () => {
  it("is not the client's failure", async () => {
    const world = tokenWorld();
    world.stores.findClient.mockRejectedValueOnce(new UnavailableError('down'));
    for (let count = 0; count < 100; count += 1) {
      world.stores.findClient.mockRejectedValueOnce(new UnavailableError('down'));
    }
    const statuses = await guess(world, 101, clientIdOf(1));
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect((await world.issue()).statusCode).toBe(200);
  });
});
