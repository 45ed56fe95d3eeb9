import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DecidedRequest } from '../emulator/iam/authorizer.ts';
import { findFreePort } from '../emulator/loopback-server.ts';
import { Cloud, clientOptions } from './cloud.ts';
import { startMiniStack } from './ministack.ts';
import { startPermissions } from './permissions/permission-gate.ts';
import { say } from './proof.ts';
import { startPublicEdge, usePublicEdge } from './public-edge.ts';

const root = resolve(import.meta.dirname, '../..');

/**
 * Runs a proof in a fresh account, in which every call of a function has to be allowed by its role.
 *
 * @param names that stacks of the proof are served under.
 * @returns the calls that IAM decided.
 */
export async function inFreshAccount(
  python: string,
  work: string,
  names: readonly string[],
  prove: (cloud: Cloud) => Promise<void>,
): Promise<readonly DecidedRequest[]> {
  mkdirSync(work, { recursive: true });
  const port = await findFreePort();
  const edge = await startPublicEdge(work, port, names);
  await usePublicEdge(edge);
  const endpoint = `http://127.0.0.1:${port}`;
  const permissions = await startPermissions(port, (region) => clientOptions(endpoint, region));
  const { gate, record } = permissions;
  const preloads = `${edge.variables['NODE_OPTIONS']} ${gate.variables['NODE_OPTIONS']}`;
  const emulator = await startMiniStack({
    python,
    work,
    root,
    port,
    functionsPort: gate.port,
    variables: { ...edge.variables, ...gate.variables, NODE_OPTIONS: preloads },
  });
  try {
    await prove(new Cloud(work, endpoint, permissions));
    record.check(emulator.listCallers());
    return record.decisions;
  } catch (error) {
    for (const problem of record.problems) say(problem);
    throw error;
  } finally {
    await emulator.stop();
    await gate.close();
    await edge.close();
  }
}
