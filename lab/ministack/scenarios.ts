import { mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DecidedRequest } from '../emulator/iam/authorizer.ts';
import { findFreePort } from '../emulator/loopback-server.ts';
import { makePythonEnvironment } from '../support/runtimes.ts';
import { Cloud, openEmulated } from './cloud.ts';
import { startMiniStack } from './ministack.ts';
import { CallRecord } from './permissions/call-record.ts';
import { readDeployedAccount } from './permissions/deployed-account.ts';
import { startPermissionGate } from './permissions/permission-gate.ts';
import { say } from './proof.ts';
import { startPublicEdge, usePublicEdge } from './public-edge.ts';

const root = resolve(import.meta.dirname, '../..');

/** A proof of a suite, in an account of its own. */
export interface Scenario {
  readonly title: string;
  /** Under which its stacks are served. */
  readonly names: readonly string[];
  readonly prove: (cloud: Cloud, tools: ScenarioTools) => Promise<void>;
}

interface ScenarioTools {
  /** Of this scenario only. */
  readonly folder: string;
  /** `bin` of the Python environment with MiniStack and the command line of AWS. */
  readonly bin: string;
}

/**
 * Runs a proof in a fresh account, in which every call of a function has to be allowed by its role.
 *
 * @returns the calls that IAM decided.
 */
async function inFreshAccount(
  { names, prove }: Scenario,
  tools: ScenarioTools,
): Promise<readonly DecidedRequest[]> {
  const { folder: work, bin } = tools;
  mkdirSync(work);
  const port = await findFreePort();
  const edge = await startPublicEdge(work, port, names);
  await usePublicEdge(edge);
  const endpoint = `http://127.0.0.1:${port}`;
  const deployed = readDeployedAccount(openEmulated(endpoint));
  const record = new CallRecord();
  const gate = await startPermissionGate({ emulatorPort: port, deployed, record });
  const preloads = `${edge.variables['NODE_OPTIONS']} ${gate.variables['NODE_OPTIONS']}`;
  const emulator = await startMiniStack({
    bin,
    work,
    root,
    port,
    functionsPort: gate.port,
    variables: { ...edge.variables, ...gate.variables, NODE_OPTIONS: preloads },
  });
  try {
    await prove(new Cloud(work, endpoint, { gate, deployed, record }), tools);
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

/**
 * Runs some scenarios; all of them if none is named. It says so if MiniStack cannot be installed.
 *
 * @param named by default, the arguments of this process.
 * @returns the calls that IAM decided; none without MiniStack.
 */
export async function runScenarios(
  scenarios: Readonly<Record<string, Scenario>>,
  named: readonly string[] = process.argv.slice(2),
): Promise<readonly DecidedRequest[]> {
  const python = await makePythonEnvironment(['-r', join(import.meta.dirname, 'requirements.txt')]);
  if ('missing' in python) {
    process.stdout.write(`SKIPPED: MiniStack cannot be installed: there is no ${python.missing}\n`);
    return [];
  }
  using work = mkdtempDisposableSync(join(tmpdir(), 'scenarios-'));
  const decisions: DecidedRequest[] = [];
  for (const name of named.length > 0 ? named : Object.keys(scenarios)) {
    const scenario = scenarios[name];
    if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
    process.stdout.write(`${scenario.title}:\n`);
    const tools = { folder: join(work.path, name), bin: python.bin };
    decisions.push(...(await inFreshAccount(scenario, tools)));
  }
  return decisions;
}
