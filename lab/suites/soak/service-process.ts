import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultRuleInput } from '../../emulator/faults/fault-script.ts';
import { Faults } from '../../emulator/faults/faults.ts';
import { startLocal } from '../../local/start-local.ts';
import { answerParent } from '../../support/child-script.ts';

// The service that a soak loads, in a process of its own: what the load remembers is no part of
// the heap that is measured.

/** What the load needs to know of the service. */
export type Target = ReturnType<typeof targetOf>;

/** What a process is after some load. */
export interface Measurement {
  /** Bytes that are in use after all garbage is collected. */
  readonly heap: number;
  /** Open connections, each end that is the service's. */
  readonly sockets: number;
  /** Calls that a fault has affected since the last time. */
  readonly affected: number;
}

const state = mkdtempSync(join(tmpdir(), 'soak-'));
const faults = new Faults();
const service = await startLocal({ stateDirectory: state, port: 0, faults });

function targetOf({ issuer, tokenUrl, jwksUri, clientId, clientSecret, apiKey }: typeof service) {
  return { issuer, tokenUrl, jwksUri, clientId, clientSecret, apiKey };
}

/** Measures, and breaks things by these rules from now on; none heals everything. */
function measure(rules: readonly FaultRuleInput[]): Measurement {
  faults.play({ seed: 1, rules: [...rules] });
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the service has to be started with --expose-gc');
  // What the first round finalises is free after the second.
  gc();
  gc();
  const resources = process.getActiveResourcesInfo();
  return {
    heap: process.memoryUsage().heapUsed,
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    affected: faults.takeAffected(),
  };
}

answerParent(targetOf(service), measure, async () => {
  await service.close();
  rmSync(state, { recursive: true, force: true });
});
