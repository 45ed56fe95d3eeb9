import { describe, expect, it } from 'vitest';
import { secondsPerDay } from '../../../contract/limits.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import type { Client } from '../../../core/client/client.ts';
import { ConflictError, UnavailableError } from '../../../core/errors.ts';
import { runDaily } from '../../../core/notices/daily-run.ts';
import type { Notice } from '../../../core/notices/notice.ts';
import { createTestDailyRun } from '../../support/daily-run.ts';
import { figure } from '../../support/figure.ts';

const day = secondsPerDay;

function client(number: number, expiresAt: number, change: Partial<Client> = {}): Client {
  const createdAt = expiresAt - 365 * day;
  const id = String(number).padStart(5, '0');
  return {
    clientId: `client_${id}`,
    name: `Client ${id}`,
    serviceTrunkGroup: `tg-${number % 7}`,
    audiences: [],
    tokenLifetime: 3600,
    scopes: ['messaging:view'],
    enabled: true,
    secrets: [
      {
        secretId: `secret_${id}`,
        hash: 'sha256$H',
        createdAt,
        expiresAt,
        lastUsedOn: '2027-01-14',
      },
    ],
    version: 1,
    createdAt,
    updatedAt: createdAt,
    ...change,
  };
}

function apiKey(keyId: string, expiresAt: number, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    keyId,
    hash: 'sha256$H',
    name: 'Ada',
    enabled: true,
    serviceTrunkGroup: 'tg-1',
    subnets: [],
    expiresAt,
    version: 1,
    createdAt: 1,
    updatedAt: 1,
    ...changes,
  };
}

function change(number: number, milliseconds: number): AuditRecord {
  return {
    time: new Date(milliseconds).toISOString(),
    recordId: `change${number}-2-done`,
    actor: 'arn:aws:iam::123456789012:user/ada',
    action: 'client.update',
    subject: `client_${number}`,
    outcome: 'done',
    after: { service_trunk_group: 'tg-1' },
  };
}

/** A run with so many clients, of which every tenth expires within 30 days. */
function runWithClients(count: number) {
  const test = createTestDailyRun();
  for (let number = 0; number < count; number++) {
    const left = number % 10 === 0 ? 1 + ((number * 7919) % (30 * day)) : 100 * day;
    const one = client(number, test.now + left);
    test.clients.set(one.clientId, one);
  }
  return test;
}

const idsOf = (notices: readonly Notice[]) => notices.map(({ detail }) => detail.notice_id);

async function reportOf(test: ReturnType<typeof createTestDailyRun>) {
  const report = test.state.current?.report;
  return report === undefined ? undefined : test.reports.readCredentials(report);
}

describe('clients outside the grants of their trunk groups', () => {
  const ci = 'https://ci.example.net';

  /** Ten clients of two customers at a provider, of which two have ids of the other's grant. */
  function runWithGrants(pageSize = 1000) {
    const test = createTestDailyRun(pageSize);
    const grants = [{ value: 'repo:globex/', trunkGroups: ['tg-globex'] }];
    test.grants.set(`subject ${ci}`, { kind: 'subject', place: ci, version: 1, grants });
    const add = (number: number, group: string, externalClientId: string, issuer = ci) => {
      const provider = { issuer, registrationId: 'idp_1', externalClientId };
      const one = client(number, test.now + 200 * day, { serviceTrunkGroup: group, provider });
      test.clients.set(one.clientId, { ...one, secrets: [] });
    };
    for (let number = 0; number < 6; number++) add(number, 'tg-globex', `repo:globex/${number}`);
    add(6, 'tg-acme', 'repo:globex/app');
    add(7, 'tg-acme', 'repo:acme/app');
    // Nothing is granted there: who grants nothing has no alarm.
    add(8, 'tg-acme', 'erp', 'https://idp.example.net');
    test.clients.set('client_9', client(9, test.now + 200 * day));
    return test;
  }

  it('are counted at providers at which something is granted', async () => {
    const test = runWithGrants();
    expect(await test.run()).toMatchObject({ status: 'complete', outside: 2 });
    test.now += 3600;
    expect(await test.run()).toMatchObject({ status: 'current', outside: 2 });
    test.grants.set(`subject ${ci}`, { kind: 'subject', place: ci, version: 2, grants: [] });
    test.now += day;
    expect(await test.run()).toMatchObject({ status: 'complete', outside: 0 });
  });

  it('do not include those that are disabled, so that the alarm ends and can ring again', async () => {
    const test = runWithGrants();
    for (const [id, one] of test.clients) {
      if (one.provider?.externalClientId === 'repo:globex/app') {
        test.clients.set(id, { ...one, enabled: false });
      }
    }
    expect(await test.run()).toMatchObject({ outside: 1 });
  });

  it('do not include those under a provider that their own trunk group owns', async () => {
    const test = runWithGrants();
    const owner = { registrationId: 'idp_1', issuer: ci, version: 1, updatedAt: 1 };
    test.owners.set('idp_1', { ...owner, trunkGroups: ['tg-acme'] });
    expect(await test.run()).toMatchObject({ outside: 0 });
  });

  it('are counted once, regardless of how many attempts a run has', async () => {
    const test = runWithGrants();
    for (let number = 10; number < 3010; number++) {
      const one = client(number, test.now + 200 * day);
      test.clients.set(one.clientId, { ...one, secrets: [] });
    }
    let attempts = 0;
    let outcome: Awaited<ReturnType<typeof test.run>>;
    do {
      attempts += 1;
      test.reads = 1;
      outcome = await test.run();
      if (attempts === 1) expect(outcome.outside).toBeUndefined();
    } while (outcome.status !== 'complete');
    expect(attempts).toBeGreaterThan(2);
    expect(outcome.outside).toBe(2);
  });
});

describe('a daily run', () => {
  it('is made once, at the first attempt after noon', async () => {
    const test = runWithClients(20);
    expect(await test.run()).toEqual({
      status: 'complete',
      time: test.now,
      notices: { expiring: 2, unused: 0, change: 0 },
      expiring: 2,
      outside: 0,
      unread: [],
    });
    const before = test.now;
    test.now += day - 2 * 3600;
    expect(await test.run()).toMatchObject({ status: 'current', time: before, expiring: 2 });
    test.now += 2 * 3600;
    expect(await test.run()).toMatchObject({ status: 'complete', time: before + day });
  });

  it('lists all that expires within 30 days by its end, of all trunk groups', async () => {
    const test = runWithClients(1090);
    test.apiKeys.set('key_1', apiKey('key_1', test.now + 3 * day));
    await test.run();
    const report = (await reportOf(test)) ?? [];
    expect(report).toHaveLength(110);
    const ends = report.map(({ expiresAt }) => expiresAt);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(new Set(report.map(({ serviceTrunkGroup }) => serviceTrunkGroup)).size).toBe(7);
    expect(JSON.stringify([...test.sent, ...report])).not.toContain('sha256');
  });

  it('looks up the last use of the values of a rotated key, and goes on without it', async () => {
    for (const isAnswered of [true, false]) {
      const test = createTestDailyRun();
      const oldValues = [{ valueId: 'value_1', hash: 'sha256$H', expiresAt: test.now + day }];
      const rotated = apiKey('key_1', test.now + 90 * day, { valueId: 'value_2', oldValues });
      test.apiKeys.set('key_1', rotated);
      test.apiKeys.set('key_2', apiKey('key_2', test.now + 90 * day));
      const asked: unknown[] = [];
      const findLastUses = async (uses: readonly unknown[]) => {
        asked.push(...uses);
        if (!isAnswered) throw new UnavailableError('no answer');
        return ['2027-01-15', '2027-01-10'];
      };
      Object.assign(test.ports, { apiKeyUses: { findLastUses } });
      expect(await test.run()).toMatchObject({ status: 'complete', expiring: 1 });
      expect(asked).toEqual([
        { keyId: 'key_1', valueId: 'value_2' },
        { keyId: 'key_1', valueId: 'value_1' },
      ]);
      const shown = { last_used_on: '2027-01-10', replaced: true };
      expect(test.sent.map(({ detail }) => detail)).toEqual([
        isAnswered ? expect.objectContaining(shown) : expect.not.objectContaining(shown),
      ]);
      expect((await reportOf(test))?.map(({ lastUsedOn }) => lastUsedOn)).toEqual([
        isAnswered ? '2027-01-10' : undefined,
      ]);
    }
  });

  it('tells of the end of API keys once for each threshold, and not of those without one', async () => {
    const test = createTestDailyRun();
    const end = test.now + 20 * day;
    const put = (key: ApiKey) => void test.apiKeys.set(key.keyId, key);
    put(apiKey('key_ends', end, { scopes: ['messaging:view'] }));
    put(apiKey('key_disabled', end, { enabled: false }));
    put(apiKey('key_past', test.now - 1));
    put(apiKey('key_later', test.now + 90 * day));
    const { expiresAt: _, ...lasting } = apiKey('key_lasting', end);
    put(lasting);
    const told: unknown[] = [];
    for (let count = 0; count < 21; count++) {
      await test.run();
      told.push(
        ...test.sent.splice(0).map(({ kind, detail }) => {
          const { key_id, key_name, threshold_days, days_to_expiry } = detail as never;
          return [kind, key_id, key_name, threshold_days, days_to_expiry];
        }),
      );
      test.now += day;
    }
    expect(told).toEqual([
      ['expiring', 'key_ends', 'Ada', 30, 20],
      ['expiring', 'key_ends', 'Ada', 14, 14],
      ['expiring', 'key_ends', 'Ada', 7, 7],
      ['expiring', 'key_ends', 'Ada', 1, 1],
    ]);
  });

  it('tells of a secret that was disabled when it was unused for 90 days, when it is enabled', async () => {
    const test = createTestDailyRun();
    const one = client(1, test.now + 200 * day);
    const [secret] = one.secrets;
    if (secret === undefined) throw new Error('it has one');
    const lastUsedOn = '2026-10-20';
    const write = (disabled: true | undefined) =>
      test.clients.set(one.clientId, {
        ...one,
        secrets: [{ ...secret, lastUsedOn, disabled }],
        updatedAt: test.now,
      });
    write(true);
    await test.run();
    test.now += 10 * day;
    await test.run();
    expect(test.sent).toEqual([]);
    test.now += day / 2;
    write(undefined);
    test.now += day / 2;
    expect(await test.run()).toMatchObject({ notices: { unused: 1 } });
    test.now += day;
    expect(await test.run()).toMatchObject({ notices: { unused: 0 } });
  });

  it('is not silenced by times of a clock that was 40 days ahead', async () => {
    const test = runWithClients(20);
    test.now += 40 * day;
    await test.run();
    test.now -= 40 * day;
    test.sent.length = 0;
    test.audits.slc = [change(1, test.now * 1000 - 3_600_000)];
    expect(await test.run()).toMatchObject({
      status: 'complete',
      time: test.now,
      notices: { expiring: 2, change: 1 },
    });
    expect(await reportOf(test)).toHaveLength(2);
  });

  it('is not spoilt by another attempt at the same time, which is throttled', async () => {
    const test = runWithClients(1090);
    let first: unknown;
    const readClients: typeof test.ports.clients.readClients = async (query) => {
      if (first !== undefined) throw new UnavailableError('throttled');
      first = await test.run();
      return test.ports.clients.readClients(query);
    };
    const second = runDaily({ ...test.ports, clients: { readClients } }, 'test');
    await expect(second).rejects.toThrow(ConflictError);
    expect(first).toMatchObject({ status: 'complete', expiring: 109 });
    expect(await reportOf(test)).toHaveLength(109);
    test.now += day;
    const sent = test.sent.length;
    expect(await test.run()).toMatchObject({ status: 'complete' });
    const repeated = new Set(idsOf(test.sent.slice(0, sent)));
    expect(idsOf(test.sent.slice(sent)).filter((id) => repeated.has(id))).toEqual([]);
  });

  it('reads 10,000 clients in pages of 500, and once each', async () => {
    const test = runWithClients(10_000);
    const budget = 1000;
    test.reads = budget;
    const { notices, expiring } = await test.run();
    const reads = budget - test.reads;
    figure('a daily run over 10,000 clients', { reads, notices: notices.expiring, expiring });
    // 20 pages of clients, one of API keys, and the audit of yesterday and today.
    expect(reads).toBeLessThanOrEqual(23);
    expect(expiring).toBe(1000);
  });

  it('tells the next day only what is new', async () => {
    const test = runWithClients(100);
    await test.run();
    expect(test.sent).toHaveLength(10);
    test.now += day;
    const added = client(1000, test.now + 5 * day);
    test.clients.set(added.clientId, added);
    test.sent.length = 0;
    await test.run();
    const told = test.sent.filter(
      ({ detail }) => 'secret_id' in detail && detail.secret_id === 'secret_01000',
    );
    expect(told).toMatchObject([{ detail: { threshold_days: 7 } }]);
    // And those that reached their next threshold, which is never the one of the day before.
    expect(test.sent.length).toBeLessThan(10);
  });

  it('continues with the next attempt if its time is over, and tells nothing twice', async () => {
    const whole = runWithClients(3000);
    await whole.run();
    const test = runWithClients(3000);
    const attempts: string[] = [];
    for (let attempt = 0; attempt < 20 && attempts.at(-1) !== 'complete'; attempt++) {
      test.reads = 2;
      attempts.push((await test.run()).status);
      // No matter how long it takes, what it tells is as of its beginning.
      test.now += 900;
    }
    expect(attempts).toEqual(['continues', 'continues', 'continues', 'continues', 'complete']);
    expect(idsOf(test.sent)).toEqual(idsOf(whole.sent));
    expect(await reportOf(test)).toEqual(await reportOf(whole));
  });

  it.each([0, 1, 2, 3])(
    'continues after a failure of sending %i, with the same ids',
    async (at) => {
      const whole = runWithClients(1500);
      whole.audits.slc = [change(1, whole.now * 1000 - 3_600_000)];
      await whole.run();
      const test = runWithClients(1500);
      test.audits.slc = whole.audits.slc;
      test.sendings = at;
      await expect(test.run()).rejects.toThrow('EventBridge is out');
      test.sendings = Number.POSITIVE_INFINITY;
      test.now += 900;
      await test.run();
      expect(new Set(idsOf(test.sent))).toEqual(new Set(idsOf(whole.sent)));
      expect(test.sent).toHaveLength(whole.sent.length);
      expect(await reportOf(test)).toEqual(await reportOf(whole));
    },
  );

  it('is given up for the next one after a day', async () => {
    const test = runWithClients(1500);
    test.reads = 1;
    expect(await test.run()).toMatchObject({ status: 'continues' });
    test.reads = Number.POSITIVE_INFINITY;
    test.now += day;
    expect(await test.run()).toMatchObject({ status: 'complete', time: test.now });
    const expected = runWithClients(1500);
    for (const [id, one] of test.clients) expected.clients.set(id, one);
    expected.now = test.now;
    await expected.run();
    expect(await reportOf(test)).toEqual(await reportOf(expected));
  });

  it('is refused while another attempt is running', async () => {
    const test = runWithClients(10);
    const both = await Promise.allSettled([test.run(), test.run()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(new Set(idsOf(test.sent)).size).toBe(1);
  });

  it('begins again if what it had saved cannot be read', async () => {
    const test = runWithClients(1500);
    test.reads = 1;
    await test.run();
    test.reads = Number.POSITIVE_INFINITY;
    test.parts.clear();
    expect(await test.run()).toMatchObject({ status: 'complete', expiring: 150 });
  });
});

describe('a run that is disturbed at one of its writes', () => {
  /** 150 credentials in three parts, and changes; attempts with time for a few reads. */
  function prepare() {
    const test = runWithClients(1500);
    test.audits.slc = [change(1, test.now * 1000 - 3_600_000)];
    return test;
  }

  type Test = ReturnType<typeof prepare>;

  /** Calls a function before the write of a number, and lets the others pass. */
  function beforeWrite(test: Test, number: number, disturb: () => Promise<void>) {
    let writes = 0;
    test.hooks.beforeWrite = async () => {
      writes += 1;
      if (writes === number) await disturb();
    };
    return () => writes;
  }

  async function attempt(test: Test, reads = Number.POSITIVE_INFINITY) {
    test.reads = reads;
    return test.run();
  }

  /** Attempts until the run has ended, the first ones with little time. */
  async function complete(test: Test) {
    const outcomes: string[] = [];
    for (let number = 0; number < 12 && outcomes.at(-1) !== 'complete'; number += 1) {
      const run = attempt(test, number < 3 ? 2 : undefined);
      outcomes.push(
        await run.then(
          ({ status }) => status,
          () => 'failed',
        ),
      );
    }
    return outcomes;
  }

  async function expectWhole(test: Test) {
    const whole = prepare();
    await complete(whole);
    expect(test.state.current?.report?.count).toBe(150);
    expect(await reportOf(test)).toEqual(await reportOf(whole));
    expect(new Set(idsOf(test.sent))).toEqual(new Set(idsOf(whole.sent)));
  }

  async function countWrites() {
    const test = prepare();
    const writes = beforeWrite(test, 0, async () => undefined);
    expect(await complete(test)).toContain('continues');
    return writes();
  }

  it('has the same report and tells the same, no matter which write is lost', async () => {
    const writes = await countWrites();
    expect(writes).toBeGreaterThanOrEqual(12);
    for (let number = 1; number <= writes; number += 1) {
      const test = prepare();
      beforeWrite(test, number, async () => {
        throw new UnavailableError('DynamoDB does not answer');
      });
      expect(await complete(test), `write ${number}`).toContain('failed');
      await expectWhole(test);
    }
  });

  it('has the same report if a write was made and its answer is lost', async () => {
    const writes = await countWrites();
    for (let number = 1; number <= writes; number += 1) {
      const test = prepare();
      const stored = { ...test.reports };
      let seen = 0;
      const lose = async () => {
        if (seen >= number) return;
        seen += 1;
        if (seen === number) throw new UnavailableError('the answer is lost');
      };
      Object.assign(test.reports, {
        writeState: async (...args: Parameters<typeof stored.writeState>) => {
          await stored.writeState(...args);
          await lose();
        },
        writeCredentials: async (...args: Parameters<typeof stored.writeCredentials>) => {
          const parts = await stored.writeCredentials(...args);
          await lose();
          return parts;
        },
      });
      await complete(test);
      await expectWhole(test);
    }
  });

  it('has the same report if the process ends there', async () => {
    const writes = await countWrites();
    for (let number = 1; number <= writes; number += 1) {
      const test = prepare();
      let hasEnded = false;
      beforeWrite(test, number, async () => {
        hasEnded = true;
      });
      const ending = test.hooks.beforeWrite;
      test.hooks.beforeWrite = async () => {
        await ending();
        if (hasEnded) throw new UnavailableError('the process has ended');
      };
      await complete(test);
      expect(hasEnded).toBe(true);
    }
  });
});

describe('the changes that a daily run tells', () => {
  const hour = 3_600_000;

  it('are those since the run before, each once', async () => {
    const test = createTestDailyRun();
    const begin = test.now * 1000;
    test.audits.slc = Array.from({ length: 72 }, (_, number) =>
      change(number, begin - 24 * hour + number * hour + 1),
    );
    const told: string[][] = [];
    for (let runs = 0; runs < 3; runs++) {
      test.sent.length = 0;
      await test.run();
      told.push(test.sent.map(({ detail }) => ('change_id' in detail ? detail.change_id : '')));
      test.now += day;
    }
    expect(told.map(({ length }) => length)).toEqual([24, 24, 24]);
    expect(told.flat()).toEqual(test.audits.slc.map((_, number) => `change${number}`));
  });

  it.each([
    ['a week', 7 * 24, 7],
    ['30 days', 30 * 24, 30],
    ['40 days', 40 * 24, 30],
  ])('are found after no run for %s', async (_, hours, expected) => {
    const test = createTestDailyRun();
    await test.run();
    test.now += hours * 3600;
    const end = test.now * 1000;
    const days = Math.floor(hours / 24);
    test.audits.slc = Array.from({ length: days }, (__, number) =>
      change(number, end - (days - number) * 24 * hour + hour),
    );
    test.sent.length = 0;
    await test.run();
    expect(test.sent).toHaveLength(expected);
  });

  it('of a region that does not answer are told later, and the report does not wait', async () => {
    const test = runWithClients(10);
    const records = [change(1, test.now * 1000 - hour)];
    test.audits.slc = [change(2, test.now * 1000 - hour)];
    test.audits.dfw = new UnavailableError('no connection');
    expect(await test.run()).toMatchObject({
      status: 'continues',
      notices: { change: 1 },
      expiring: 1,
      unread: [{ region: 'dfw', reason: 'no connection' }],
    });
    expect(await reportOf(test)).toHaveLength(1);
    test.audits.dfw = records;
    test.now += 900;
    test.sent.length = 0;
    expect(await test.run()).toMatchObject({ status: 'complete', notices: { change: 1 } });
    expect(test.sent).toMatchObject([{ detail: { region: 'dfw', change_id: 'change1' } }]);
  });

  it('are read in pages, over attempts', async () => {
    const test = createTestDailyRun(10);
    test.audits.slc = Array.from({ length: 95 }, (_, number) =>
      change(number, test.now * 1000 - 23 * hour + number * 60_000),
    );
    let status = '';
    let attempts = 0;
    while (status !== 'complete' && attempts < 50) {
      test.reads = 4;
      ({ status } = await test.run());
      attempts += 1;
    }
    expect(attempts).toBeGreaterThan(2);
    const ids = idsOf(test.sent);
    expect(new Set(ids).size).toBe(95);
    // The record at which an attempt stops is read again.
    expect(ids.length - 95).toBeLessThan(attempts);
  });
});
