import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Faults } from '../../emulator/faults/faults.ts';
import { startLocal } from '../../local/start-local.ts';
import type { Measurement, ServiceAnswer, ServiceCommand } from './service.ts';

// The service that a soak loads, in a process of its own: what the load remembers is no part of
// the heap that is measured.

const answer = (message: ServiceAnswer): void => {
  process.send?.(message);
};

function measure(): Measurement {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the service has to be started with --expose-gc');
  // What the first round finalises is free after the second.
  gc();
  gc();
  const resources = process.getActiveResourcesInfo();
  return {
    heap: process.memoryUsage().heapUsed,
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
  };
}

const state = mkdtempSync(join(tmpdir(), 'soak-'));
const faults = new Faults();
const service = await startLocal({ stateDirectory: state, port: 0, faults });

async function close(): Promise<void> {
  await service.close();
  rmSync(state, { recursive: true, force: true });
  process.disconnect();
}

function obey(command: ServiceCommand): void {
  if (command.do === 'play') faults.play({ seed: 1, rules: [...command.rules] });
  if (command.do === 'measure') answer({ is: 'measured', measurement: measure() });
  if (command.do === 'count') answer({ is: 'counted', affected: faults.takeAffected() });
  if (command.do === 'close') void close();
}

process.on('message', obey);
const { issuer, tokenUrl, jwksUri, clientId, clientSecret, apiKey } = service;
answer({ is: 'ready', target: { issuer, tokenUrl, jwksUri, clientId, clientSecret, apiKey } });
