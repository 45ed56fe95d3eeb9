import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { secondsPerDay } from '../../../contract/limits.ts';
import { expiryNoticeDays, noticeDetails } from '../../../contract/notices.ts';
import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import type { ApiKey, ApiKeyWithUse } from '../../../core/api-key/api-key.ts';
import type { Client, ClientSecret } from '../../../core/client/client.ts';
import {
  type Credential,
  credentialId,
  findCredentialNotices,
  isExpiring,
  keyInUse,
  type RunTimes,
  secretsInUse,
} from '../../../core/notices/credential-notices.ts';
import type { Notice } from '../../../core/notices/notice.ts';

const day = secondsPerDay;
/** 2027-01-15T08:00:00Z */
const now = 1_800_000_000;

const secret: ClientSecret = { secretId: 'secret_1', hash: 'sha256$HASH', createdAt: now };

const client: Client = {
  clientId: 'client_1',
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  audiences: [],
  tokenLifetime: 3600,
  scopes: ['messaging:view'],
  enabled: true,
  secrets: [],
  version: 1,
  createdAt: now,
  updatedAt: 1,
};

const key: ApiKey = {
  keyId: 'key_1',
  hash: 'sha256$HASH',
  name: 'Ada',
  enabled: true,
  serviceTrunkGroup: 'tg-1001',
  subnets: [],
  version: 1,
  createdAt: now,
  updatedAt: now,
};

const firstRun: RunTimes = { deployment: 'authorization-server', now, reported: new Map() };

function secretNotices(change: Partial<ClientSecret>, times: Partial<RunTimes> = {}) {
  const all = { ...firstRun, ...times };
  const found = secretsInUse({ ...client, secrets: [{ ...secret, ...change }] }, all.now);
  return found.flatMap((one) => findCredentialNotices(one, all));
}

/** The run of the day before had the secret in its report, with this end. */
function dayBefore(expiresAt: number): Partial<RunTimes> {
  return { before: now - day, reported: new Map([['secret_1', expiresAt]]) };
}

describe('the notice of an end', () => {
  it.each([
    ['more than 30 days', 30 * day + 1, undefined, undefined],
    ['30 days', 30 * day, 30, 30],
    ['14 days and a second', 14 * day + 1, 30, 15],
    ['14 days', 14 * day, 14, 14],
    ['7 days', 7 * day, 7, 7],
    ['a day', day, 1, 1],
    ['a second', 1, 1, 1],
    ['nothing', 0, undefined, undefined],
  ])('with %s left', (_, left, threshold, days) => {
    const [notice] = secretNotices({ expiresAt: now + left });
    const detail = notice?.detail as { threshold_days?: number; days_to_expiry?: number };
    expect(detail?.threshold_days).toBe(threshold);
    expect(detail?.days_to_expiry).toBe(days);
  });

  it('says which secret it is, and until when', () => {
    const change = { expiresAt: now + 7 * day, name: 'spring', lastUsedOn: '2027-01-14' };
    expect(secretNotices(change)).toEqual([
      {
        kind: 'expiring',
        detail: {
          version: 1,
          notice_id: 'Le8DBh0i4QPiWuQ4KgCzJ-RAvM9sap_7Xbf5Ox9u8QY',
          deployment: 'authorization-server',
          service_trunk_group: 'tg-1001',
          credential: 'client_secret',
          client_id: 'client_1',
          client_name: 'Billing',
          secret_id: 'secret_1',
          secret_name: 'spring',
          last_used_on: '2027-01-14',
          expires_at: '2027-01-22T08:00:00Z',
          days_to_expiry: 7,
          threshold_days: 7,
        },
      },
    ]);
  });

  it('says which API key it is', () => {
    const [found] = keyInUse({ ...key, expiresAt: now + day }, now);
    expect(findCredentialNotices(found as Credential, firstRun)).toMatchObject([
      {
        kind: 'expiring',
        detail: {
          service_trunk_group: 'tg-1001',
          credential: 'api_key',
          key_id: 'key_1',
          key_name: 'Ada',
          threshold_days: 1,
        },
      },
    ]);
  });

  it('says which value of an API key it is, if a rotation has replaced it', () => {
    const old = { valueId: 'value_1', hash: 'sha256$OLD', expiresAt: now + day };
    const day1 = { lastUsedOn: '2027-01-10' };
    const noticesOf = (change: Partial<ApiKeyWithUse>) =>
      keyInUse({ ...key, valueId: 'value_2', ...change }, now).flatMap((one) =>
        findCredentialNotices(one, firstRun).map(({ detail }) => detail),
      );
    const ofValue = { credential: 'api_key', key_id: 'key_1', value_id: 'value_1' };
    expect(noticesOf({ oldValues: [old] })).toEqual([expect.objectContaining(ofValue)]);
    // The newer value is used, and the old one was not since: callers have moved.
    const moved = noticesOf({ lastUsedOn: '2027-01-14', oldValues: [{ ...old, ...day1 }] });
    expect(moved).toEqual([
      expect.objectContaining({ ...ofValue, last_used_on: '2027-01-10', replaced: true }),
    ]);
    for (const detail of moved) expect(v.is(noticeDetails.expiring, detail)).toBe(true);
    for (const change of [
      { oldValues: [{ ...old, ...day1 }] },
      { lastUsedOn: '2027-01-15', oldValues: [{ ...old, lastUsedOn: '2027-01-14' }] },
      { lastUsedOn: '2027-01-15', oldValues: [old] },
    ]) {
      expect(noticesOf(change)).toEqual([expect.not.objectContaining({ replaced: true })]);
    }
  });

  it.each<[string, Partial<ApiKeyWithUse>, readonly (string | undefined)[]]>([
    ['that is over', { oldValues: [{ valueId: 'v', hash: 'h', expiresAt: now }] }, [undefined]],
    [
      'that works as long as its key',
      { expiresAt: now + 1, oldValues: [{ valueId: 'v', hash: 'h', expiresAt: now + 1 }] },
      [undefined],
    ],
    [
      'of a disabled key',
      { enabled: false, oldValues: [{ valueId: 'v', hash: 'h', expiresAt: now + 1 }] },
      [],
    ],
  ])('is not sent for an old value %s', (_, change, valueIds) => {
    expect(keyInUse({ ...key, ...change }, now).map(({ valueId }) => valueId)).toEqual(valueIds);
  });

  it.each([
    ['between two thresholds', 10 * day, 10 * day, undefined],
    ['at the next threshold', 7 * day, 7 * day, 7],
    ['that was moved', 10 * day, 20 * day, 14],
  ])('is sent once: an end %s', (_, left, reported, threshold) => {
    const notices = secretNotices({ expiresAt: now + left }, dayBefore(now + reported));
    expect(
      notices.map(({ detail }) => 'threshold_days' in detail && detail.threshold_days),
    ).toEqual(threshold === undefined ? [] : [threshold]);
  });

  it('is the last one if runs were missed', () => {
    const times = { before: now - 20 * day, reported: new Map([['secret_1', now + 5 * day]]) };
    expect(secretNotices({ expiresAt: now + 5 * day }, times)).toMatchObject([
      { detail: { threshold_days: 7, days_to_expiry: 5 } },
    ]);
  });

  it.each<[string, Partial<Client>, Partial<ClientSecret>]>([
    ['a disabled client', { enabled: false }, {}],
    ['a disabled secret', {}, { disabled: true }],
    ['an expired secret', {}, { expiresAt: now }],
    ['the client of a synthetic check', { clientId: syntheticClientId('slc') }, {}],
  ])('is not sent for %s', (_, clientChange, change) => {
    const secrets = [{ ...secret, expiresAt: now + day, ...change }];
    expect(secretsInUse({ ...client, ...clientChange, secrets }, now)).toEqual([]);
  });

  it('is not sent for a disabled or expired API key', () => {
    expect(keyInUse({ ...key, enabled: false, expiresAt: now + day }, now)).toEqual([]);
    expect(keyInUse({ ...key, expiresAt: now }, now)).toEqual([]);
  });
});

describe('the notice of a secret that is not used', () => {
  const old = now - 200 * day;

  it.each([
    ['for 90 days', { createdAt: old, lastUsedOn: '2026-10-16' }, true],
    ['for 89 days', { createdAt: old, lastUsedOn: '2026-10-17' }, false],
    ['since it was created', { createdAt: old }, true],
    ['since it was created a week ago', { createdAt: now - 7 * day }, false],
    ['until it expired', { createdAt: old, expiresAt: now - 1 }, false],
  ])('%s', (_, change, isSent) => {
    expect(secretNotices(change).map(({ kind }) => kind)).toEqual(isSent ? ['unused'] : []);
  });

  it('is sent once, and again if it was used meanwhile', () => {
    const unused = { createdAt: old, lastUsedOn: '2026-10-16' };
    const [first] = secretNotices(unused, { before: now - day });
    expect(first?.detail).toMatchObject({ last_used_on: '2026-10-16', secret_id: 'secret_1' });
    expect(secretNotices(unused, { before: now - day, now: now + day })).toEqual([first]);
    expect(secretNotices(unused, { before: now, now: now + day })).toEqual([]);
    const later = { ...unused, lastUsedOn: '2026-12-01' };
    const [second] = secretNotices(later, { before: now + 45 * day, now: now + 46 * day });
    expect(second?.detail.notice_id).not.toBe(first?.detail.notice_id);
    expect(second).toBeDefined();
  });
});

const anySecret = fc.record({
  lifetime: fc.integer({ min: 1, max: 120 * day }),
  createdAfter: fc.integer({ min: 0, max: 40 * day }),
});

interface RunOfDays {
  readonly credentials: readonly Credential[];
  /** Days of the runs. */
  readonly days: readonly number[];
}

/** Runs on some days, each with the report of the one before. */
function runDays({ credentials, days }: RunOfDays): readonly (readonly Notice[])[] {
  let before: number | undefined;
  let reported = new Map<string, number>();
  return days.map((offset) => {
    const time = now + offset * day;
    const alive = credentials.filter(
      ({ createdAt, expiresAt = Number.POSITIVE_INFINITY }) =>
        createdAt <= time && expiresAt > time,
    );
    const times: RunTimes = { deployment: 'test', now: time, before, reported };
    const notices = alive.flatMap((one) => findCredentialNotices(one, times));
    const expiring = alive.filter((one) => isExpiring(one, time));
    reported = new Map(expiring.map((one) => [credentialId(one), one.expiresAt]));
    before = time;
    return notices;
  });
}

describe('daily runs', () => {
  const days = Array.from({ length: 200 }, (_, index) => index);
  const credentialsOf = (secrets: readonly { lifetime: number; createdAfter: number }[]) =>
    secrets.map(
      ({ lifetime, createdAfter }, index): Credential => ({
        kind: 'client_secret',
        serviceTrunkGroup: 'tg-1001',
        clientId: 'client_1',
        clientName: 'Billing',
        secretId: `secret_${index}`,
        createdAt: now + createdAfter,
        changedAt: now + createdAfter,
        expiresAt: now + createdAfter + lifetime,
      }),
    );

  it('tell each threshold that a credential lives through exactly once', () => {
    fc.assert(
      fc.property(fc.array(anySecret, { maxLength: 5 }), (secrets) => {
        const credentials = credentialsOf(secrets);
        const told = runDays({ credentials, days }).flat();
        const expiring = told.filter((notice): notice is Notice<'expiring'> => {
          return notice.kind === 'expiring';
        });
        const ids = expiring.map(({ detail }) => detail.notice_id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const credential of credentials) {
          const own = expiring.filter(
            ({ detail }) => 'secret_id' in detail && detail.secret_id === credentialId(credential),
          );
          const thresholds = own.map(({ detail }) => detail.threshold_days);
          const { createdAt, expiresAt = 0 } = credential;
          // A run within each of a threshold's own days.
          const lived = expiryNoticeDays.filter((_, index) => {
            const end = expiresAt - (expiryNoticeDays[index + 1] ?? 0) * day;
            const start = Math.max(createdAt, expiresAt - (expiryNoticeDays[index] ?? 0) * day);
            return days.some((offset) => {
              const time = now + offset * day;
              return time >= start && time < end;
            });
          });
          expect(thresholds).toEqual(lived);
        }
      }),
    );
  });

  it('repeat the same notices if they are made again', () => {
    fc.assert(
      fc.property(fc.array(anySecret, { maxLength: 5 }), (secrets) => {
        const runs = { credentials: credentialsOf(secrets), days };
        expect(runDays(runs)).toEqual(runDays(runs));
      }),
    );
  });

  it('send what the format allows, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(anySecret, { maxLength: 5 }), (secrets) => {
        for (const { kind, detail } of runDays({
          credentials: credentialsOf(secrets),
          days,
        }).flat()) {
          expect(v.parse(noticeDetails[kind], detail)).toEqual(detail);
        }
      }),
    );
  });
});

it('a secret that callers have replaced has notices that say so', () => {
  const old = { ...secret, expiresAt: now + day, createdAt: 1, lastUsedOn: '2026-12-01' };
  const newer = { ...secret, secretId: 'secret_2', lastUsedOn: '2027-01-14' };
  const found = secretsInUse({ ...client, secrets: [old, newer] }, now);
  const notices = found.flatMap((one) => findCredentialNotices(one, firstRun));
  expect(notices.map(({ detail }) => detail)).toMatchObject([
    { secret_id: 'secret_1', replaced: true },
  ]);
  const [notice] = notices;
  expect(v.is(noticeDetails.expiring, notice?.detail)).toBe(true);
});
