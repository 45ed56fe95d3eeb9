import { describe, expect, it, vi } from 'vitest';
import { jwksPath } from '../../../contract/routes.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { PortOptions } from '../../../core/port.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { lambdaContext, type ProxyRequest, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';
import { createJwksFunction } from '../../../lambda/jwks/function.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';

const environment = { signingKeysTable: 'signing-keys', keyListRefresh: 60, jwksMaxAge: 300 };

const current = makeSigningKey('RS256').key;
const next = makeSigningKey('ES256', { state: 'next', regionId: 'pit' }).key;

function setUp(initial: readonly SigningKey[] = [current, next]) {
  const listSigningKeys = vi.fn(
    async (_options?: PortOptions): Promise<readonly SigningKey[]> => initial,
  );
  const clock = { now: 1_800_000_000 };
  const { telemetry, reports } = recordTelemetry();
  const options = { clock: () => clock.now * 1000, telemetry };
  const handler = createJwksFunction(environment, { listSigningKeys }, options);
  const get = (more: Partial<ProxyRequest> = {}) =>
    handler(proxyEvent({ path: jwksPath, receivedAt: clock.now * 1000, ...more }), lambdaContext());
  return { listSigningKeys, clock, reports, get };
}

function kidsOf({ body }: { readonly body: string }): readonly string[] {
  return (JSON.parse(body) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

describe('GET /.well-known/jwks.json', () => {
  it('has the keys of all regions, and may be kept for as long as the rotation reckons', async () => {
    const response = await setUp().get();
    expect(response).toEqual({
      statusCode: 200,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'public, max-age=300',
        ETag: expect.stringMatching(/^"[\w-]{43}"$/),
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'ETag',
        'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
        'X-Content-Type-Options': 'nosniff',
      },
      body: expect.any(String),
    });
    expect(kidsOf(response)).toEqual([current.kid, next.kid].sort());
  });

  it('has an ETag that changes with the set, and 304 until then', async () => {
    const { get, listSigningKeys, clock } = setUp();
    const { headers } = await get();
    const conditional = { headers: { 'If-None-Match': headers['ETag'] ?? '' } };
    expect(await get(conditional)).toMatchObject({ statusCode: 304, body: '' });
    listSigningKeys.mockResolvedValue([current]);
    clock.now += 60;
    const changed = await get(conditional);
    expect(changed.statusCode).toBe(200);
    expect(changed.headers['ETag']).not.toBe(headers['ETag']);
  });

  it('starts a deadline only if it reads the table', async () => {
    const { get, listSigningKeys } = setUp();
    listSigningKeys.mockImplementation(async ({ signal }: PortOptions = {}) => {
      expect(signal).toBeInstanceOf(AbortSignal);
      return [current];
    });
    const startTimer = vi.spyOn(AbortSignal, 'timeout');
    // Requests share a deadline only for a moment.
    const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await get();
    expect(startTimer).toHaveBeenCalledTimes(1);
    time.mockReturnValue(performance.now() + 60_000);
    await get();
    expect(startTimer).toHaveBeenCalledTimes(1);
    startTimer.mockRestore();
    time.mockRestore();
  });

  it.each([
    ['does not answer', new UnavailableError('down')],
    ['may not be read', Object.assign(new Error('denied'), { name: 'AccessDeniedException' })],
  ])('goes on for as long as it takes while the table %s, and logs why', async (_, error) => {
    const { get, listSigningKeys, clock, reports } = setUp();
    const before = await get();
    listSigningKeys.mockRejectedValue(error);
    clock.now += 86_400;
    expect(await get()).toEqual(before);
    expect(reports.map(({ fields }) => fields['key_list_error_name'])).toEqual([
      undefined,
      error.name,
    ]);
  });

  it('drops a key at its time even then', async () => {
    const old = { ...next, state: 'previous' as const, withdrawAt: 1_800_000_100 };
    const { get, listSigningKeys, clock } = setUp([current, old]);
    expect(kidsOf(await get())).toContain(old.kid);
    listSigningKeys.mockRejectedValue(new UnavailableError('down'));
    clock.now += 100;
    expect(kidsOf(await get())).toEqual([current.kid]);
  });

  it('keeps a key until the time of API Gateway, although its own clock is ahead', async () => {
    const old = { ...next, state: 'previous' as const, withdrawAt: 1_800_000_100 };
    const { get, clock } = setUp([current, old]);
    clock.now += 4000;
    expect(kidsOf(await get({ receivedAt: 1_800_000_099_000 }))).toContain(old.kid);
    expect(kidsOf(await get({ receivedAt: 1_800_000_100_000 }))).toEqual([current.kid]);
  });

  it('goes by its own clock if API Gateway says no time', async () => {
    const old = { ...next, state: 'previous' as const, withdrawAt: 1_800_000_100 };
    const { get, clock } = setUp([current, old]);
    clock.now += 100;
    expect(kidsOf(await get({ receivedAt: Number.NaN }))).toEqual([current.kid]);
  });

  it.each([
    ['there is no key', []],
    ['no key is published', [{ ...current, state: 'withdrawn' as const }]],
  ])('is 503 and an alarm, never an empty set, if %s', async (_name, keys) => {
    const { get, reports } = setUp(keys);
    expect(await get()).toMatchObject({
      statusCode: 503,
      headers: {
        'Retry-After': '5',
        'Cache-Control': 'no-store',
        'Access-Control-Allow-Origin': '*',
      },
      body: '{"error":"temporarily_unavailable","error_description":"the service is unavailable, try again later"}',
    });
    expect(reports[0]?.measures).toEqual(new Map([['JwksEmpty', 1]]));
  });

  it.each([
    ['does not answer', new UnavailableError('down'), 'UnavailableError'],
    [
      'may not be read',
      Object.assign(new Error('denied'), { name: 'AccessDeniedException' }),
      'UnavailableError < AccessDeniedException',
    ],
    ['meets a defect', new TypeError('x is undefined'), 'UnavailableError < TypeError'],
  ])('is 503 and an alarm if the table %s from the start', async (_, error, name) => {
    const { get, listSigningKeys, reports } = setUp();
    listSigningKeys.mockRejectedValue(error);
    expect((await get()).statusCode).toBe(503);
    expect(reports[0]).toMatchObject({
      measures: new Map([['JwksEmpty', 1]]),
      fields: { error_name: name },
    });
    expect((await get({ method: 'OPTIONS' })).statusCode).toBe(204);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s: 405', async (method) => {
    expect(await setUp().get({ method })).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'GET, HEAD, OPTIONS' },
    });
  });
});
