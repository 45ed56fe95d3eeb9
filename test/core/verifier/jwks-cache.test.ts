import { beforeEach, describe, expect, it } from 'vitest';
import {
  keyCacheWeight,
  maxOwnProviderKeys,
  jwksCacheTimes as times,
} from '../../../contract/bounds.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { givenKeysUri } from '../../../core/identity-provider/given-keys.ts';
import { JwksCache, type JwksSource, type KeyFetch } from '../../../core/verifier/jwks-cache.ts';
import { createTestKey, type TestKey } from '../../../lab/support/test-issuer.ts';
import { createTestKeys } from '../../../lab/support/verifier-world.ts';

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
/** Seconds. */
let time: { now: number };
/** Seconds that a fetch takes. */
let duration: number;
/** What the cache reported. */
let ended: KeyFetch[];

function createCache(random = 0): JwksCache {
  return new JwksCache({
    fetchJwks: async ({ issuer }) => {
      fetched.push(issuer);
      const answer = await answers.get(issuer);
      time.now += duration;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    clock: () => time.now * 1000,
    random: () => random,
    onFetched: (fetch) => ended.push(fetch),
  });
}

beforeEach(() => {
  answers = new Map<string, unknown>([
    [a.issuer, setOf(first)],
    [b.issuer, setOf(second)],
  ]);
  fetched = [];
  time = { now: start };
  duration = 0;
  ended = [];
  cache = createCache();
});

async function find(source: JwksSource, key: TestKey, now: number): Promise<string | undefined> {
  time.now = now;
  const found = await cache.findKey(source, key.kid);
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

  it('finds a new key next to its ambiguous copy, and says that the copy is left out', async () => {
    const two = sourceOf(a.issuer, { algorithms: ['ES256', 'RS256', 'PS256'] });
    const { alg: _, ...copy } = rsa.jwk;
    await find(two, first, start);
    answers.set(a.issuer, { keys: [{ ...copy, kid: 'copy' }, rsa.jwk] });
    expect(await find(two, rsa, start + times.cooldown)).toBe(rsa.kid);
    expect(await cache.findKey(two, 'copy')).toBeUndefined();
    const reason = 'it has no alg, and it could be a key for RS256 or PS256: --algorithm decides';
    expect(cache.findLeftOut(two, 'copy')).toBe(reason);
    expect(cache.findLeftOut(two, rsa.kid)).toBeUndefined();
    expect(cache.findLeftOut({ ...two, registrationId: 'other' }, 'copy')).toBeUndefined();
    expect(cache.findLeftOut(b, 'copy')).toBeUndefined();
  });

  it('fetches at most once per cooldown, for any key ids', async () => {
    const seconds = 300;
    for (let index = 0; index < 10_000; index += 1) {
      const now = start + Math.floor((index * seconds) / 10_000);
      time.now = now;
      expect(await cache.findKey(a, `random-${index}`)).toBeUndefined();
      if (index % 100 === 0) expect(await find(a, first, now)).toBe(first.kid);
    }
    expect(fetched.length).toBeLessThanOrEqual(seconds / times.cooldown);
  });

  /** Other bad sets are in test/core/identity-provider/key-lint.test.ts. */
  const bad: readonly [string, unknown][] = [
    ['an error', new Error('HTTP 500')],
    ['HTML', '<html>'],
    ['a set with a private key', { keys: [{ ...second.jwk, d: 'AAAA' }] }],
  ];

  it.each(bad)('keeps the last good set when the issuer answers %s', async (_, answer) => {
    await find(a, first, start);
    answers.set(a.issuer, answer);
    for (let now = start; now < start + times.dropAfter; now += times.cooldown * 10) {
      expect(await find(a, first, now)).toBe(first.kid);
      await settle();
    }
    expect(fetched.length).toBeGreaterThan(2);
    await expect(find(a, first, start + times.dropAfter)).rejects.toThrow(UnavailableError);
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
    const waiting = cache.findKey(a, first.kid, { signal });
    const patient = find(a, first, start);
    deadline.abort();
    await expect(waiting).rejects.toThrow(UnavailableError);
    await expect(cache.findKey(a, first.kid, { signal })).rejects.toThrow(UnavailableError);
    answer(setOf(first));
    expect(await patient).toBe(first.kid);
    expect((await cache.findKey(a, first.kid, { signal }))?.kid).toBe(first.kid);
    expect(fetched).toHaveLength(1);
  });

  it('keeps issuers apart: one that is down does not touch another', async () => {
    answers.set(a.issuer, new Promise(() => undefined));
    const hanging = find(a, first, start);
    expect(await find(b, second, start)).toBe(second.kid);
    expect(await Promise.race([hanging, Promise.resolve('still waiting')])).toBe('still waiting');
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
    await expect(find(a, first, start + times.dropAfter)).rejects.toThrow(UnavailableError);
  });

  it('survives a fetch that throws instead of rejecting', async () => {
    let isBroken = true;
    const fragile = createTestKeys(time, () => {
      if (isBroken) throw new Error('at once');
      return Promise.resolve(setOf(first));
    });
    await expect(fragile.findKey(a, first.kid)).rejects.toThrow(UnavailableError);
    isBroken = false;
    time.now += times.coldRetry;
    const found = await fragile.findKey(a, first.kid);
    expect(found?.kid).toBe(first.kid);
  });
});

describe('an issuer that fails', () => {
  const own = sourceOf('https://own.example', { registrationId: 'idp_1', ownedBy: 'tg-1' });
  const failing = async (source: JwksSource, now: number): Promise<number> => {
    await expect(find(source, first, now)).rejects.toThrow(UnavailableError);
    return fetched.length;
  };

  it('holds the requests that wait for one fetch, and answers at once from its end on', async () => {
    answers.set(a.issuer, new Error('hangs'));
    duration = 5;
    const asked = Array.from({ length: 50 }, () => cache.findKey(a, first.kid));
    const outcomes = await Promise.allSettled(asked);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(fetched).toHaveLength(1);
    const end = start + duration;
    expect(time.now).toBe(end);
    expect(await failing(a, end)).toBe(1);
    expect(await failing(a, end + times.coldRetry - 1)).toBe(1);
    expect(await failing(a, end + times.coldRetry)).toBe(2);
  });

  /** Seconds from the end of each failed fetch to the next one, asked each second. */
  async function pausesOf(source: JwksSource, count: number): Promise<readonly number[]> {
    answers.set(source.issuer, new Error('down'));
    const at: number[] = [];
    for (let now = start; at.length <= count; now += 1) {
      const before = fetched.length;
      if ((await failing(source, now)) > before) at.push(now);
    }
    return at.slice(1).map((now, index) => now - (at[index] ?? 0));
  }

  it('is fetched less and less often', async () => {
    expect(await pausesOf(a, 6)).toEqual([5, 10, 20, 30, 30, 30]);
  });

  it('is fetched least often if customers registered it for themselves', async () => {
    expect(await pausesOf(own, 9)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('is not fetched by all instances at the same time', async () => {
    cache = createCache(0.999);
    expect(await pausesOf(a, 5)).toEqual([4, 8, 16, 23, 23]);
  });

  it('is fetched after the shortest pause again when it had answered', async () => {
    await pausesOf(a, 5);
    answers.set(a.issuer, setOf(first));
    const later = time.now + times.longestPause;
    expect(await find(a, first, later)).toBe(first.kid);
    answers.set(a.issuer, new Error('down'));
    const count = fetched.length;
    await expect(find(a, second, later + times.cooldown)).rejects.toThrow(UnavailableError);
    await expect(find(a, second, later + 2 * times.cooldown)).rejects.toThrow(UnavailableError);
    expect(fetched).toHaveLength(count + 2);
  });

  it('stays in its pause when it is deleted and registered again', async () => {
    answers.set(own.issuer, new Error('hangs'));
    await failing(own, start);
    for (let index = 2; index < 20; index += 1) {
      const again = { ...own, registrationId: `idp_${index}` };
      expect(await failing(again, start + times.coldRetry - 1)).toBe(1);
    }
  });

  it('gives the keys of one registration to no other while a fetch runs', async () => {
    let answer: (set: unknown) => void = () => undefined;
    answers.set(
      a.issuer,
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const again = { ...a, registrationId: 'idp_2', jwksUri: `${a.issuer}/other` };
    const [old, other] = [cache.findKey(a, first.kid), cache.findKey(again, first.kid)];
    const otherEnds = expect(other).rejects.toThrow(UnavailableError);
    answer(setOf(first));
    expect((await old)?.kid).toBe(first.kid);
    await otherEnds;
    expect(fetched).toHaveLength(1);
    answers.set(a.issuer, setOf(second));
    expect(await find(again, first, start)).toBeUndefined();
    expect(await find(again, second, start)).toBe(second.kid);
  });

  it('does not hold a request for a known key longer than the request has', async () => {
    await find(a, first, start);
    answers.set(a.issuer, new Promise(() => undefined));
    time.now = start + times.refreshBefore;
    const deadline = new AbortController();
    const waiting = cache.findKey(a, first.kid, { signal: deadline.signal });
    deadline.abort();
    expect((await waiting)?.kid).toBe(first.kid);
  });

  it('is named in the error, and reported with the time that its fetch took', async () => {
    answers.set(a.issuer, new Error('down'));
    duration = 1.5;
    await expect(find(a, first, start)).rejects.toThrow('the keys of https://a.example cannot');
    await find(b, second, start);
    expect(ended).toMatchObject([
      { issuer: a.issuer, milliseconds: 1500, failure: { message: 'down' } },
      { issuer: b.issuer, milliseconds: 1500, failure: undefined },
    ]);
  });

  it('reports no fetch of keys that were given in a file', async () => {
    const given = sourceOf(b.issuer, { jwksUri: givenKeysUri(b.issuer) });
    expect(await find(given, second, start)).toBe(second.kid);
    answers.set(b.issuer, new Error('missing'));
    await find(given, second, start + times.refreshBefore);
    expect(ended).toEqual([]);
  });
});

describe('the providers of one owner', () => {
  const ownerOf = (issuer: string, ownedBy = 'tg-1') =>
    sourceOf(`https://${issuer}.example`, { ownedBy });

  /** Providers that hang are asked as fast as an instance answers, in its first minute. */
  async function hold(sources: readonly JwksSource[]): Promise<number> {
    let held = 0;
    duration = 1.5;
    for (const { issuer } of sources) answers.set(issuer, new Error('hangs'));
    for (let turn = 0; time.now < start + 60; turn += 1) {
      const before = time.now;
      const source = sources[turn % sources.length] ?? a;
      await expect(cache.findKey(source, 'x')).rejects.toThrow(UnavailableError);
      held += time.now - before;
      time.now += 0.01;
    }
    return held / 60;
  }

  it('hold an instance no longer than one does, if ten of them hang', async () => {
    const one = await hold([ownerOf('hangs')]);
    [time.now, cache] = [start, createCache()];
    const ten = await hold(Array.from({ length: 10 }, (_, index) => ownerOf(`hangs-${index}`)));
    expect([one, ten].map((share) => Number(share.toFixed(2)))).toEqual([0.1, 0.1]);
  });

  it('do not hold those of another owner, and are asked again after a while', async () => {
    const [bad, good, other] = [ownerOf('bad'), ownerOf('good'), ownerOf('other', 'tg-2')];
    answers.set(bad.issuer, new Error('hangs'));
    for (const { issuer } of [good, other]) answers.set(issuer, setOf(first));
    await expect(find(bad, first, start)).rejects.toThrow(UnavailableError);
    expect(await find(other, first, start)).toBe(first.kid);
    await expect(find(good, first, start)).rejects.toMatchObject({ cause: { message: 'hangs' } });
    expect(await find(good, first, start + times.coldRetry)).toBe(first.kid);
    answers.set(good.issuer, setOf(second));
    // Good fetches do not end the pause of what fails next.
    const pauses: number[] = [];
    for (let now = time.now; pauses.length < 4; now += 1) {
      const before = fetched.length;
      await expect(find(bad, first, now)).rejects.toThrow(UnavailableError);
      if (fetched.length > before) pauses.push(now - start);
      if (now % 7 === 0) await find(good, second, now).catch(() => undefined);
    }
    expect(pauses).toEqual([5, 15, 35, 75]);
  });

  it('keep their pause if other key sets fill the memory', async () => {
    const hangs = ownerOf('hangs');
    answers.set(hangs.issuer, new Error('hangs'));
    // An id of a key that is skipped is shown to people, and kept.
    const skipped = { kty: 'RSA', use: 'enc', kid: 'k'.repeat(12_500) };
    const fat = { keys: [first.jwk, ...Array.from({ length: 19 }, () => skipped)] };
    for (let ask = 0; ask < 30; ask += 1) {
      await expect(cache.findKey(hangs, 'x')).rejects.toThrow(UnavailableError);
      for (let index = 0; index < 35; index += 1) {
        const source = ownerOf(`fat-${ask}-${index}`, `tg-${index % 5}`);
        answers.set(source.issuer, fat);
        await cache.findKey(source, 'x').catch(() => undefined);
      }
      time.now += 1;
    }
    expect(fetched.filter((issuer) => issuer === hangs.issuer)).toHaveLength(3);
  });
});

describe('a key set that grew after the registration', () => {
  const many = setOf(
    ...Array.from({ length: maxOwnProviderKeys + 1 }, () => createTestKey('ES256')),
  );

  it('is refused of a provider that trunk groups own, at each fetch, and of no other', async () => {
    const own = sourceOf('https://own.example', { ownedBy: 'tg-1' });
    answers.set(own.issuer, setOf(first));
    expect(await find(own, first, start)).toBe(first.kid);
    for (const { issuer } of [own, a]) answers.set(issuer, many);
    time.now += times.cooldown;
    await expect(cache.readKeySet(own)).rejects.toThrow(/it has 21 keys; .* may have at most 20/);
    expect((await cache.readKeySet(a)).keys).toHaveLength(maxOwnProviderKeys + 1);
    expect(await find(own, first, time.now)).toBe(first.kid);
  });
});

describe('the memory of the key cache', () => {
  // A key that is skipped is shown to people, with its id.
  const skipped = { kty: 'RSA', use: 'enc', kid: 'k'.repeat(12_500) };
  const large = { keys: [first.jwk, ...Array.from({ length: 19 }, () => skipped)] };

  function ownIssuer(index: number): JwksSource {
    return sourceOf(`https://own-${index}.example`, {
      registrationId: `idp_${index}`,
      ownedBy: `tg-${index}`,
    });
  }

  async function askMany(count: number, document: unknown): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      answers.set(ownIssuer(index).issuer, document);
      await cache.findKey(ownIssuer(index), 'x').catch(() => undefined);
    }
  }

  it('forgets the own providers of customers that were not used for longest, and no others', async () => {
    const size = 3 * JSON.stringify(large).length;
    const count = Math.ceil(keyCacheWeight / size) + 20;
    await find(a, first, start);
    answers.set(ownIssuer(0).issuer, large);
    await askMany(count, large);
    fetched = [];
    time.now += 1;
    await cache.findKey(ownIssuer(count - 1), first.kid);
    expect(fetched).toEqual([]);
    await cache.findKey(ownIssuer(0), 'x');
    expect(fetched).toEqual([ownIssuer(0).issuer]);
    expect(await find(a, first, time.now)).toBe(first.kid);
    expect(fetched).toHaveLength(1);
  });

  it('has a bound for issuers without keys', async () => {
    await askMany(1001, new Error('down'));
    fetched = [];
    await expect(cache.findKey(ownIssuer(1), 'x')).rejects.toThrow(UnavailableError);
    expect(fetched).toEqual([]);
    await expect(cache.findKey(ownIssuer(0), 'x')).rejects.toThrow(UnavailableError);
    expect(fetched).toHaveLength(1);
  });
});

describe('a whole key set', () => {
  it('is fetched again when the cooldown is over, and says why it cannot be', async () => {
    expect((await cache.readKeySet(a)).keys.map(({ kid }) => kid)).toEqual([first.kid]);
    answers.set(a.issuer, setOf(first, second));
    expect((await cache.readKeySet(a)).keys).toHaveLength(1);
    time.now += times.cooldown;
    expect((await cache.readKeySet(a)).keys).toHaveLength(2);
    const down = new Error('down');
    answers.set(a.issuer, down);
    time.now += times.cooldown;
    await expect(cache.readKeySet(a)).rejects.toBe(down);
    await expect(cache.readKeySet(a)).rejects.toBe(down);
    expect(fetched).toHaveLength(3);
    expect(await find(a, second, time.now)).toBe(second.kid);
  });
});
