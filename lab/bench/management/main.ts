import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import {
  managementConfigFile,
  managementEnvironment,
} from '../../../contract/function-environments.ts';
import { functionName } from '../../../contract/function-names.ts';
import { formatManagementConfig } from '../../../contract/management/management-config.ts';
import { parseManagementRequest } from '../../../contract/management/request.ts';
import { managementDigest } from '../../../core/audit/request-digest.ts';
import { localApi } from '../../emulator/gateway/request-context.ts';
import { localRegion } from '../../emulator/local-region.ts';
import {
  type FunctionProcess,
  startFunctionProcess,
} from '../../emulator/runtime-api/function-process.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { buildFunction, buildMeasuredRuntime } from '../build.ts';
import { type SlowMachine, startSlowMachine } from '../slow-machine.ts';
import { median } from '../statistics.ts';

/*
 * `node lab/bench/management/main.ts` measures the management function: its bundle, a cold start, and
 * the CPU time of a warm operation. `--slow` gives its process 29 % of a core, as Lambda does with
 * 512 MB, and cold caches; that needs Linux and root.
 */

const { awsRegion } = localRegion;
const warmUp = 50;
const measured = 200;
const coldStarts = 7;

/** One read of the tables, as of a page or a command. */
const request = JSON.stringify({ operation: 'listClients', input: {} });
assert.ok(parseManagementRequest(request));

/** The bundle with the config of the local run, as the stack would upload it. */
function buildBundle({ paths }: LocalRun) {
  const bundle = buildFunction('management');
  const input: unknown = JSON.parse(readFileSync(paths.deploymentConfig, 'utf8'));
  const config = parseDeploymentConfig(input, { allowLoopbackIssuer: true });
  writeFileSync(join(bundle.taskRoot, managementConfigFile), formatManagementConfig(config));
  return { ...bundle, arn: `${arnOf(functionName(config.name, 'management'))}:administrator` };
}

function arnOf(name: string): string {
  return `arn:aws:lambda:${awsRegion}:${localApi.accountId}:function:${name}`;
}

type Bundle = ReturnType<typeof buildBundle>;

async function measure(run: LocalRun, bundle: Bundle, machine: SlowMachine | undefined) {
  const { environment, aws } = run;
  const prove = createCallerProof(aws.credentials, environment);
  const runtime = buildMeasuredRuntime();
  const { arn, taskRoot, name } = bundle;
  const open = async (): Promise<FunctionProcess> => {
    const process = await startFunctionProcess({
      name,
      taskRoot,
      awsRegion,
      runtime,
      environment: { ...environment, ...managementEnvironment() },
      onOutput: () => undefined,
    });
    machine?.add(process.pid);
    return process;
  };
  const ask = async (process: FunctionProcess) => {
    const caller_proof = await prove(awsRegion, managementDigest(arn, request));
    const { payload, headers } = await process.invoke({ request, caller_proof }, arn);
    assert.match(JSON.stringify(payload), /"outcomes":\[\{"result"/);
    return Number(headers['bench-cpu-us']);
  };
  const starts: number[] = [];
  for (let count = 0; count < coldStarts; count += 1) {
    const begun = performance.now();
    const process = await open();
    await ask(process);
    starts.push(performance.now() - begun);
    await process.close();
  }
  const process = await open();
  let before = 0;
  for (let count = 0; count < warmUp; count += 1) before = await ask(process);
  let after = 0;
  for (let count = 0; count < measured; count += 1) after = await ask(process);
  await process.close();
  return { startMs: median(starts), cpuMs: (after - before) / measured / 1000 };
}

const machine = process.argv.includes('--slow') ? startSlowMachine() : undefined;
try {
  await withLocalService({}, async (run) => {
    const bundle = buildBundle(run);
    const { startMs, cpuMs } = await measure(run, bundle, machine);
    process.stdout.write(
      [
        `bundle                              ${Math.round(bundle.bytes / 1000)} kB`,
        `process start to first answer       ${Math.round(startMs)} ms (to reach: 1000 ms on a slow machine)`,
        `CPU time of a warm list of clients  ${cpuMs.toFixed(1)} ms (to reach: 60 ms)`,
        '',
      ].join('\n'),
    );
  });
} finally {
  machine?.close();
}
