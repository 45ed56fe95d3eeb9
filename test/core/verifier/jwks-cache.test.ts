import { beforeEach, describe, expect, it } from 'vitest';
import { jwksCacheTimes as times } from '../../../contract/limits.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { JwksCache, type JwksSource } from '../../../core/verifier/jwks-cache.ts';
import { createTestKey, type TestKey } from '../../../lab/support/test-issuer.ts';

const first = createTestKey('ES256');
const second = createTestKey('ES256');
const rsa = createTestKey('RS256');
const start = 1_795_132_800;

function sourceOf(issuer: string, overrides: Partial<JwksSource> = {}): JwksSource {
  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    algorithms: ['ES256', 'RS256'],
    registrationId: 'idp_1',
    ...overrides,
  };
}

const a = sourceOf('https://a.example');
const b = sourceOf('https://b.example');

function setOf(...keys: readonly TestKey[]): unknown {
  return { keys: keys.map((key) => key.jwk) };
}

/** Issuers that answer what they are told to, and count how often they are asked. */
let answers: Map<string, unknown>;
let fetched: string[];
let cache: JwksCache;

beforeEach(() => {
  answers = new Map<string, unknown>([
    [a.issuer, setOf(first)],
    [b.issuer, setOf(second)],
  ]);
  fetched = [];
  cache = new JwksCache(async ({ issuer }) => {
    fetched.push(issuer);
    const answer = await answers.get(issuer);
    if (answer instanceof Error) throw answer;
    return answer;
  });
});

async function find(source: JwksSource, key: TestKey, now: number): Promise<string | undefined> {
  const found = await cache.findKey(source, key.kid, now);
  return found?.kid;
}

/** Lets a fetch that no one waits for come to its end. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the key cache', () => {
  it('fetches once, however many ask at once', async () => {
    const found = await Promise.all(Array.from({ length: 50 }, () => find(a, first, start)));
    expect(new Set(found)).toEqual(new Set([first.kid]));
    expect(fetched).toEqual([a.issuer]);
  });

  it('answers from the set until it is time to refresh', async () => {
    for (let now = start; now < start + times.refreshAfter; now += 10) await find(a, first, now);
    expect(fetched).toHaveLength(1);
  });

  it('refreshes next to the request from then on, and within the request when the set is old', async () => {
    await find(a, first, start);
    answers.set(a.issuer, setOf(second));
    expect(await find(a, first, start + times.refreshAfter)).toBe(first.kid);
    await settle();
    expect(await find(a, first, start + times.refreshAfter + 1)).toBeUndefined();
    expect(fetched).toHaveLength(2);

    answers.set(a.issuer, setOf(first));
    const old = start + times.refreshAfter + times.refreshBefore;
    expect(await find(a, second, old)).toBeUndefined();
    expect(fetched).toHaveLength(3);
  });

  it('stops a key that its issuer withdrew within refreshBefore', async () => {
    await find(a, first, start);
    answers.set(a.issuer, setOf(second));
    expect(await find(a, first, start + times.refreshBefore)).toBeUndefined();
  });

  it('finds a new key at once, if the cooldown is over', async () => {
    await find(a, first, start);
    answers.set(a.issuer, setOf(first, second));
    expect(await find(a, second, start + times.cooldown - 1)).toBeUndefined();
    expect(await find(a, second, start + times.cooldown)).toBe(second.kid);
  });

  it('fetches at most once per cooldown, for any key ids', async () => {
    const seconds = 300;
    for (let index = 0; index < 10_000; index += 1) {
      const now = start + Math.floor((index * seconds) / 10_000);
      expect(await cache.findKey(a, `random-${index}`, now)).toBeUndefined();
      if (index % 100 === 0) expect(await find(a, first, now)).toBe(first.kid);
    }
    expect(fetched.length).toBeLessThanOrEqual(seconds / times.cooldown);
  });

  const bad: readonly [string, unknown][] = [
    ['an error', new Error('HTTP 500')],
    ['an empty set', { keys: [] }],
    ['HTML', '<html>'],
    ['null', null],
    ['no keys member', {}],
    ['a set with a private key', { keys: [{ ...second.jwk, d: 'AAAA' }] }],
    ['a set with a symmetric key', { keys: [second.jwk, { kty: 'oct', kid: 'x', k: 'AAAA' }] }],
    ['a set with one kid twice', setOf(second, { ...rsa, jwk: { ...rsa.jwk, kid: second.kid } })],
    ['a set with keys only of other algorithms', setOf(createTestKey('ES384'))],
  ];

  it.each(bad)('keeps the last good set when the issuer answers %s', async (_, answer) => {
    await find(a, first, start);
    answers.set(a.issuer, answer);
    for (let now = start; now < start + times.hardLimit; now += times.cooldown * 10) {
      expect(await find(a, first, now)).toBe(first.kid);
      await settle();
    }
    expect(fetched.length).toBeGreaterThan(2);
    await expect(find(a, first, start + times.hardLimit)).rejects.toThrow(UnavailableError);
  });

  it.each(bad)(
    'has no decision without a good set, when the issuer answers %s',
    async (_, answer) => {
      answers.set(a.issuer, answer);
      await expect(find(a, first, start)).rejects.toThrow(UnavailableError);
    },
  );

  it('has no decision on an unknown key while the fetch fails, and one on the known ones', async () => {
    await find(a, first, start);
    answers.set(a.issuer, new Error('down'));
    const later = start + times.cooldown;
    await expect(find(a, second, later)).rejects.toThrow(UnavailableError);
    expect(await find(a, first, later)).toBe(first.kid);
    expect(fetched).toHaveLength(2);
  });

  it('keeps to the cooldown while fetches fail', async () => {
    await find(a, first, start);
    answers.set(a.issuer, new Error('down'));
    for (let now = start; now < start + 300; now += 1) {
      await find(a, second, now).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UnavailableError);
      });
    }
    expect(fetched.length).toBeLessThanOrEqual(300 / times.cooldown);
  });

  it('tries again soon if it never had a set', async () => {
    answers.set(a.issuer, new Error('down'));
    await expect(find(a, first, start)).rejects.toThrow(UnavailableError);
    answers.set(a.issuer, setOf(first));
    await expect(find(a, first, start + times.coldRetry - 1)).rejects.toThrow(UnavailableError);
    expect(await find(a, first, start + times.coldRetry)).toBe(first.kid);
    expect(fetched).toHaveLength(2);
  });

  it('does not make known keys wait for an issuer that hangs', async () => {
    await find(a, first, start);
    answers.set(a.issuer, new Promise(() => undefined));
    expect(await find(a, first, start + times.refreshAfter)).toBe(first.kid);
    expect(await find(a, first, start + times.refreshAfter + 1)).toBe(first.kid);
    expect(fetched).toHaveLength(2);
  });

  it('makes no one wait longer than the request has, and fetches on for the others', async () => {
    let answer: (set: unknown) => void = () => undefined;
    answers.set(
      a.issuer,
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const deadline = new AbortController();
    const { signal } = deadline;
    const waiting = cache.findKey(a, first.kid, start, { signal });
    const patient = find(a, first, start);
    deadline.abort();
    await expect(waiting).rejects.toThrow(UnavailableError);
    await expect(cache.findKey(a, first.kid, start, { signal })).rejects.toThrow(UnavailableError);
    answer(setOf(first));
    expect(await patient).toBe(first.kid);
    expect((await cache.findKey(a, first.kid, start, { signal }))?.kid).toBe(first.kid);
    expect(fetched).toHaveLength(1);
  });

  it('keeps issuers apart: one that is down does not touch another', async () => {
    answers.set(a.issuer, new Promise(() => undefined));
    const hanging = find(a, first, start);
    expect(await find(b, second, start)).toBe(second.kid);
    expect(await Promise.race([hanging, Promise.resolve('still waiting')])).toBe('still waiting');
  });

  it('finds a key only at its own issuer', async () => {
    expect(await find(a, first, start)).toBe(first.kid);
    expect(await find(b, first, start)).toBeUndefined();
  });

  it('starts again when an issuer is deleted and registered again', async () => {
    await find(a, first, start);
    const again = { ...a, registrationId: 'idp_2' };
    answers.set(a.issuer, setOf(second));
    expect(await find(again, first, start + 1)).toBeUndefined();
    expect(fetched).toHaveLength(2);
  });

  it('goes on when the clock is set back', async () => {
    await find(a, first, start);
    answers.set(a.issuer, setOf(second));
    expect(await find(a, second, start - 3600)).toBe(second.kid);
  });

  it('ages a set that was fetched while the clock was ahead', async () => {
    await find(a, first, start + 365 * 86_400);
    answers.set(a.issuer, setOf(second));
    // The clock is right again, and no token with a new key makes anybody look.
    for (let now = start; now < start + times.refreshBefore; now += 60) await find(a, first, now);
    expect(await find(a, first, start + times.refreshBefore)).toBeUndefined();
  });

  it('drops a set that was fetched while the clock was ahead at its hard limit', async () => {
    await find(a, first, start + 365 * 86_400);
    answers.set(a.issuer, new Error('down'));
    expect(await find(a, first, start)).toBe(first.kid);
    await expect(find(a, first, start + times.hardLimit)).rejects.toThrow(UnavailableError);
  });

  it('survives a fetch that throws instead of rejecting', async () => {
    let isBroken = true;
    const fragile = new JwksCache(() => {
      if (isBroken) throw new Error('at once');
      return Promise.resolve(setOf(first));
    });
    await expect(fragile.findKey(a, first.kid, start)).rejects.toThrow(UnavailableError);
    isBroken = false;
    const found = await fragile.findKey(a, first.kid, start + times.coldRetry);
    expect(found?.kid).toBe(first.kid);
  });
});
