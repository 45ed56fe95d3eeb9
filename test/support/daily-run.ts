import type { RegionId } from '../../contract/regions.ts';
import type { ApiKey } from '../../core/api-key/api-key.ts';
import type { AuditRecord } from '../../core/audit/audit-log.ts';
import type { Client } from '../../core/client/client.ts';
import type { GrantList } from '../../core/identity-provider/grant.ts';
import type { ProviderOwner } from '../../core/identity-provider/identity-provider.ts';
import type { DailyState } from '../../core/notices/daily-report.ts';
import { type DailyRunPorts, runDaily } from '../../core/notices/daily-run.ts';
import type { Notice } from '../../core/notices/notice.ts';
import {
  createMemoryApiKeyStore,
  createMemoryChanges,
  createMemoryClientStore,
  createMemoryDailyReport,
  createMemoryGrantStore,
  type MemoryParts,
} from './memory-stores.ts';

/** A daily run over stores in memory. */
export function createTestDailyRun(pageSize?: number) {
  const clients = new Map<string, Client>();
  const apiKeys = new Map<string, ApiKey>();
  const grants = new Map<string, GrantList>();
  const owners = new Map<string, ProviderOwner>();
  const audits: Partial<Record<RegionId, readonly AuditRecord[] | Error>> = { slc: [] };
  const state: { current?: DailyState } = {};
  const parts: MemoryParts = new Map();
  const sent: Notice[] = [];
  let nonces = 0;
  /** Called before each write of an item of the report. */
  const hooks = { beforeWrite: async (): Promise<void> => undefined };
  const test = {
    /** Without a limit of time, which a function adds. */
    get ports() {
      return ports;
    },
    clients,
    apiKeys,
    /** By kind and place. */
    grants,
    owners,
    audits,
    state,
    parts,
    sent,
    reports: createMemoryDailyReport(state, parts, async () => hooks.beforeWrite()),
    hooks,
    /** 2027-01-15T13:00:00Z: an hour after a run is due. */
    now: 1_800_018_000,
    /** Reads for which there is time. */
    reads: Number.POSITIVE_INFINITY,
    /** Sendings that EventBridge accepts. */
    sendings: Number.POSITIVE_INFINITY,
    run: () => runDaily(ports, 'test'),
  };
  const ports: DailyRunPorts = {
    clients: createMemoryClientStore(clients),
    apiKeys: createMemoryApiKeyStore(apiKeys),
    grants: {
      providerGrants: createMemoryGrantStore(grants),
      findOwner: async (id) => owners.get(id),
    },
    reports: test.reports,
    get changes() {
      return createMemoryChanges(audits, pageSize);
    },
    putNotices: async (notices) => {
      test.sendings -= 1;
      if (test.sendings < 0) throw new Error('EventBridge is out');
      sent.push(...notices);
    },
    now: () => test.now,
    drawNonce: () => `attempt-${(nonces += 1)}`,
    isOutOfTime: () => {
      test.reads -= 1;
      return test.reads < 0;
    },
  };
  return test;
}
