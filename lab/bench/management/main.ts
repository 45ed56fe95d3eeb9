import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import {
  managementConfigFile,
  managementEnvironment,
  portalEnvironment,
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
import { createEvent } from '../scenario.ts';
import { type SlowMachine, startSlowMachine } from '../slow-machine.ts';
import { median } from '../statistics.ts';
import { buildPortal, sealSession, sessionKeySecret, startPortalServices } from './portal.ts';

/*
 * `node lab/bench/management/main.ts` measures the management function, and the portal function that
 * asks it: bundle, cold start, and the CPU time of a warm operation or page. `--slow` gives its process 29 % of a core, as Lambda does with
 * 512 MB, and cold caches; that needs Linux and root.
 */

const { awsRegion } = localRegion;
const warmUp = 50;
const measured = 200;
const coldStarts = 15;

type Variables = Readonly<Record<string, string>>;

/** One read of the tables, as of a page or a command. */
const request = JSON.stringify({ operation: 'listClients', input: {} });
assert.ok(parseManagementRequest(request));

const readConfig = ({ paths }: LocalRun) =>
  JSON.parse(readFileSync(paths.deploymentConfig, 'utf8')) as object;

/** The bundle with the config of the local run, as the stack would upload it. */
function buildBundle(run: LocalRun) {
  const bundle = buildFunction('management');
  const config = parseDeploymentConfig(readConfig(run), { allowLoopbackIssuer: true });
  writeFileSync(join(bundle.taskRoot, managementConfigFile), formatManagementConfig(config));
  const name = functionName(config.name, 'management');
  const functionArn = `arn:aws:lambda:${awsRegion}:${localApi.accountId}:function:${name}`;
  return { ...bundle, functionArn, arn: `${functionArn}:administrator` };
}

type Bundle = ReturnType<typeof buildBundle>;

function openFunction(
  { name, taskRoot }: ReturnType<typeof buildFunction>,
  environment: Variables,
) {
  return startFunctionProcess({
    name,
    taskRoot,
    awsRegion,
    runtime: buildMeasuredRuntime(),
    environment,
    onOutput: () => undefined,
  });
}

/** @param ask sends one request, and tells the CPU time of the process so far, in microseconds. */
async function measure(
  start: () => Promise<FunctionProcess>,
  ask: (process: FunctionProcess) => Promise<number>,
  machine: SlowMachine | undefined,
) {
  const open = async (): Promise<FunctionProcess> => {
    const process = await start();
    machine?.add(process.pid);
    return process;
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

function measureManagement({ environment, aws }: LocalRun, bundle: Bundle, machine?: SlowMachine) {
  const prove = createCallerProof(aws.credentials, environment);
  const { arn } = bundle;
  return measure(
    () => openFunction(bundle, { ...environment, ...managementEnvironment() }),
    async (process) => {
      const caller_proof = await prove(awsRegion, managementDigest(arn, request));
      const { payload, headers } = await process.invoke({ request, caller_proof }, arn);
      assert.match(JSON.stringify(payload), /"outcomes":\[\{"result"/);
      return Number(headers['bench-cpu-us']);
    },
    machine,
  );
}

/** A page of clients for a customer who signed in; the management function is warm. */
async function measurePortal(run: LocalRun, bundle: Bundle, machine?: SlowMachine) {
  const management = await openFunction(bundle, { ...run.environment, ...managementEnvironment() });
  const aws = await startPortalServices((event, alias) =>
    management.invoke(event, `${bundle.functionArn}:${alias}`),
  );
  const portal = buildPortal(readConfig(run));
  const environment = {
    ...run.environment,
    AWS_ENDPOINT_URL_LAMBDA: aws.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url,
    ...portalEnvironment({ managementFunction: bundle.functionArn, sessionKeySecret }),
  };
  const headers = ['Cookie', sealSession()];
  const event = createEvent({ method: 'GET', path: '/clients', headers, body: undefined });
  try {
    const figures = await measure(
      () => openFunction(portal, environment),
      async (process) => {
        const response = await process.invoke(event);
        assert.match(JSON.stringify(response.payload), /"statusCode":200.*tg-1001/);
        return Number(response.headers['bench-cpu-us']);
      },
      machine,
    );
    return { ...figures, bytes: portal.bytes };
  } finally {
    await aws.close();
    await management.close();
  }
}

type Figures = Readonly<Record<'bytes' | 'startMs' | 'cpuMs', number>>;

/** What is to be reached: a first answer on the slow machine, and the CPU time of a warm one. */
type Goals = Pick<Figures, 'startMs' | 'cpuMs'>;

function describe(name: string, { bytes, startMs, cpuMs }: Figures, goals: Goals): string {
  return [
    `${name}: bundle                     ${Math.round(bytes / 1000)} kB`,
    `${name}: process start to answer    ${Math.round(startMs)} ms (to reach: ${goals.startMs} ms on a slow machine)`,
    `${name}: CPU of a list of clients   ${cpuMs.toFixed(1)} ms (to reach: ${goals.cpuMs} ms)`,
    '',
  ].join('\n');
}

const machine = process.argv.includes('--slow') ? startSlowMachine() : undefined;
try {
  await withLocalService({}, async (run) => {
    const bundle = buildBundle(run);
    const management = await measureManagement(run, bundle, machine);
    process.stdout.write(
      describe('management', { ...management, bytes: bundle.bytes }, { startMs: 450, cpuMs: 60 }),
    );
    process.stdout.write(
      describe('portal', await measurePortal(run, bundle, machine), { startMs: 600, cpuMs: 100 }),
    );
  });
} finally {
  machine?.close();
}
