import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Faults } from '../../emulator/faults/faults.ts';
import { startLocal } from '../../local/start-local.ts';
import { answerParent } from '../../support/child-script.ts';
import type { Measurement, ServiceCommand, Target } from './service.ts';

// The service that a soak loads, in a process of its own: what the load remembers is no part of
// the heap that is measured.

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

function obey(command: ServiceCommand): Measurement | number | undefined {
  if (command.do === 'measure') return measure();
  if (command.do === 'play') faults.play({ seed: 1, rules: [...command.rules] });
  return command.do === 'count' ? faults.takeAffected() : undefined;
}

const { issuer, tokenUrl, jwksUri, clientId, clientSecret, apiKey } = service;
const target: Target = { issuer, tokenUrl, jwksUri, clientId, clientSecret, apiKey };
answerParent(target, obey, async () => {
  await service.close();
  rmSync(state, { recursive: true, force: true });
});
