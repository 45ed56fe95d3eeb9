import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scopeName } from '../../../contract/scopes.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import { acceptsSource } from '../../../core/api-key/subnet.ts';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import type { Client } from '../../../core/client/client.ts';
import { effectiveAudiences } from '../../../core/management/client-view.ts';
import { findChanges } from '../../../core/restore/replay.ts';
import { replayApiKey } from '../../../core/restore/replay-api-key.ts';
import { replayClient } from '../../../core/restore/replay-client.ts';
import { indexChanges } from '../../../core/restore/restore-items.ts';
import { isEnabled } from '../../../core/stops.ts';
import { testConfig } from '../../support/management.ts';
import { replaying } from '../../support/replaying.ts';
import { anyStep, beginning, createFatedManagement, play, stepOf } from './histories.ts';
import { operations } from './operations.ts';

interface Items {
  readonly clients: ReadonlyMap<string, Client>;
  readonly apiKeys: ReadonlyMap<string, ApiKey>;
}

const stop = { at: 1_800_000_000, by: 'who restores' };

const snapshot = ({ clients, apiKeys }: Items): Items => structuredClone({ clients, apiKeys });

/** The tables of a snapshot as a restore leaves them in empty ones. */
function restore(from: Items, audit: readonly AuditRecord[]): Items {
  const changesOf = indexChanges(findChanges(audit));
  const clients = [...from.clients.values()].flatMap((client) => {
    const replayed = replaying(replayClient)(client, changesOf(client.clientId), {
      config: testConfig,
      stop,
    });
    return replayed.outcome === 'kept' ? [replayed.item] : [];
  });
  const apiKeys = [...from.apiKeys.values()].flatMap((key) => {
    const replayed = replaying(replayApiKey)(key, changesOf(key.keyId), { stop });
    return replayed.outcome === 'kept' ? [replayed.item] : [];
  });
  return {
    clients: new Map(clients.map((client) => [client.clientId, client])),
    apiKeys: new Map(apiKeys.map((key) => [key.keyId, key])),
  };
}

/** One thing that someone can do, as text, so that sets of them compare. */
function grantsOf({ clients, apiKeys }: Items): ReadonlySet<string> {
  const grants = new Set<string>();
  for (const client of clients.values()) {
    const secrets = client.secrets.filter((one) => isEnabled(client) && isEnabled(one));
    for (const { hash, expiresAt = 9_999_999_999 } of secrets) {
      const who = `${client.clientId} by ${hash}`;
      for (const scope of client.scopes) {
        for (const audience of effectiveAudiences(client, testConfig)) {
          // Every time and lifetime up to the longest, by the ends that histories have.
          for (const end of ends.filter((one) => one <= expiresAt)) {
            grants.add(`${who}: ${scope} for ${audience} at ${end}`);
          }
          for (let life = 60; life <= client.tokenLifetime; life += 60) {
            grants.add(`${who}: ${scope} for ${audience} lives ${life}`);
          }
        }
      }
    }
  }
  for (const key of apiKeys.values()) {
    const { expiresAt = 9_999_999_999, scopes = everyScope } = key;
    if (!isEnabled(key)) continue;
    const values = [{ hash: key.hash, expiresAt }, ...(key.oldValues ?? [])];
    for (const value of values) {
      const who = `${key.keyId} by ${value.hash}`;
      for (const source of sources.filter((one) => acceptsSource(key.subnets, one))) {
        for (const scope of scopes) grants.add(`${who} from ${source}: ${scope}`);
      }
      const last = Math.min(expiresAt, value.expiresAt);
      for (const end of ends.filter((one) => one <= last)) grants.add(`${who} at ${end}`);
    }
  }
  return grants;
}

/** On either side of every end that a history can give a secret. */
const ends = [
  ...Array.from({ length: 12 }, (_, index) => 1_799_900_000 + index * 20_000),
  ...Array.from({ length: 60 }, (_, index) => 1_800_000_000 + index * 20),
  ...Array.from({ length: 202 }, (_, index) => 1_999_999_900 + index),
  9_999_999_998,
];
/** Those of the catalogue, and one that only a key without a list has. */
const everyScope = [...testConfig.scopes.map(scopeName), 'later:added'];

/** In and outside of every block that a history can give a key. */
const sources = [
  '10.200.0.1',
  '10.1.200.1',
  '10.1.2.3',
  '192.0.2.7',
  '198.51.100.1',
  '2001:db8::1',
];

/** Fields that say when and how often, not what. */
function plain(items: Items): unknown {
  const strip = (item: Client | ApiKey) => ({ ...item, version: 0, updatedAt: 0 });
  return {
    clients: [...items.clients.values()].map(strip),
    apiKeys: [...items.apiKeys.values()].map(strip),
  };
}

const runs = Number(process.env['RESTORE_HISTORIES'] ?? 300);

describe('a table that is restored from an earlier time, with the audit replayed', () => {
  it('never allows what the live table did not, even if records were lost', async () => {
    let narrower = 0;
    await fc.assert(
      fc.asyncProperty(
        beginning,
        fc.array(anyStep, { maxLength: 15 }),
        fc.array(anyStep, { maxLength: 25 }),
        async (first, before, after) => {
          const test = createFatedManagement();
          await play(test, [...first, ...before]);
          const then = snapshot(test);
          await play(test, after);
          const live = grantsOf(test);
          const restored = grantsOf(restore(then, test.audit));
          expect([...restored].filter((grant) => !live.has(grant))).toEqual([]);
          if (restored.size < grantsOf(then).size && restored.size > 0) narrower += 1;
        },
      ),
      { numRuns: runs },
    );
    // Else histories revoke nothing, or everything.
    expect(narrower).toBeGreaterThan(runs / 20);
  });

  it('never lets anybody do what the restored table did not', async () => {
    await fc.assert(
      fc.asyncProperty(beginning, fc.array(anyStep, { maxLength: 25 }), async (first, after) => {
        const test = createFatedManagement();
        await play(test, first);
        const then = snapshot(test);
        await play(test, after);
        const before = grantsOf(then);
        const restored = grantsOf(restore(then, test.audit));
        expect([...restored].filter((grant) => !before.has(grant))).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  it('is the live table, if everything since only took something away', async () => {
    await fc.assert(
      fc.asyncProperty(
        beginning,
        fc.array(stepOf(operations), { maxLength: 10 }),
        fc.array(stepOf(operations.filter(({ narrows }) => narrows)), { maxLength: 20 }),
        async (first, before, after) => {
          const test = createFatedManagement();
          await play(test, [...first, ...before]);
          const then = snapshot(test);
          await play(test, after);
          expect(plain(restore(then, test.audit))).toEqual(plain(test));
        },
      ),
      { numRuns: runs },
    );
  });

  it('does not change when it is restored from the same time once more', async () => {
    await fc.assert(
      fc.asyncProperty(beginning, fc.array(anyStep, { maxLength: 20 }), async (first, after) => {
        const test = createFatedManagement();
        await play(test, first);
        const then = snapshot(test);
        await play(test, after);
        const once = restore(then, test.audit);
        expect(plain(restore(once, test.audit))).toEqual(plain(once));
      }),
      { numRuns: runs },
    );
  });
});
