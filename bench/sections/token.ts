import { tokenPath } from '../../contract/routes.ts';
import { formatClientSecret } from '../../core/credential/credential-value.ts';
import type { FunctionProcess } from '../../local/runtime-api/function-process.ts';
import type { Backend, CallCounts } from '../backend/backend.ts';
import { type Bundle, buildFunction, buildUsualWay } from '../build.ts';
import {
  type ColdStart,
  measureColdStart,
  measureWarm,
  median,
  start,
  type Target,
} from '../measure.ts';
import type { Plan } from '../plan.ts';
import {
  backendEnvironment,
  createEvent,
  createItems,
  environments,
  tokenRequestBody,
  tokenRequestHeaders,
} from '../scenario.ts';

const { token: environment } = environments;

const tokenEvent = (headers = tokenRequestHeaders(), body = tokenRequestBody) =>
  createEvent({ method: 'POST', path: tokenPath, headers, body });

function expectStatus(expected: number): Target['check'] {
  return (payload) => {
    const { statusCode, body } = payload as { statusCode: number; body: string };
    if (statusCode !== expected) throw new Error(`the handler answered ${statusCode}: ${body}`);
  };
}

/** What one handler took. Times are medians. */
export interface TokenFigures {
  readonly bundleBytes: number;
  readonly moduleLoadMs: number;
  readonly firstTokenMs: number;
  /** CPU time of the whole process a token, and what of it is the runtime's loop. */
  readonly cpuUs: number;
  readonly loopCpuUs: number;
  readonly wallMs: number;
  readonly maxRssMb: number;
}

/** Times are milliseconds. */
export interface TokenSection {
  readonly ours: TokenFigures;
  readonly reference: TokenFigures;
  readonly delays: { readonly kms: number; readonly dynamodb: number };
  /** Calls to the backends, by what was asked for. */
  readonly calls: Readonly<Record<string, CallCounts>>;
}

/** Of a region: KMS's Sign and DynamoDB's GetItem as commonly seen from a function beside them. */
const delays = { kms: 10, dynamodb: 3 } as const;
const noDelays = { kms: 0, dynamodb: 0 } as const;

function createTargets(backend: Backend, bundles: readonly Bundle[]): readonly Target[] {
  const variables = { ...backendEnvironment(backend), ...environment };
  return bundles.map((bundle) => ({
    bundle,
    environment: variables,
    event: tokenEvent(),
    check: expectStatus(200),
  }));
}

interface Samples {
  readonly cold: ColdStart[];
  readonly cpuUs: number[];
  readonly wallMs: number[];
  maxRssMb: number;
}

async function sampleWarm(
  process: FunctionProcess,
  target: Target,
  samples: Samples,
  plan: Plan,
  backend: Backend,
): Promise<void> {
  await backend.command({ delays: noDelays });
  const { cpuUs, maxRssMb } = await measureWarm(process, target, plan.invocations);
  samples.cpuUs.push(cpuUs);
  samples.maxRssMb = maxRssMb;
  await backend.command({ delays });
  samples.wallMs.push((await measureWarm(process, target, plan.delayedInvocations)).wallMs);
  await backend.command({ delays: noDelays });
}

/** Takes turns between the targets, so that what disturbs the machine disturbs all alike. */
async function sampleAll(
  targets: readonly Target[],
  runtime: string,
  plan: Plan,
  backend: Backend,
): Promise<readonly Samples[]> {
  const samples = targets.map((): Samples => ({ cold: [], cpuUs: [], wallMs: [], maxRssMb: 0 }));
  for (let run = 0; run < plan.coldRuns; run += 1) {
    for (const [index, target] of targets.entries()) {
      samples[index]?.cold.push(await measureColdStart(target, runtime));
    }
  }
  const processes = await Promise.all(targets.map((target) => start(target, runtime)));
  for (const [index, process] of processes.entries()) {
    await measureWarm(process, targets[index] as Target, plan.warmUp);
  }
  for (let run = 0; run < plan.runs; run += 1) {
    for (const [index, process] of processes.entries()) {
      const [target, taken] = [targets[index] as Target, samples[index] as Samples];
      await sampleWarm(process, target, taken, plan, backend);
    }
  }
  await Promise.all(processes.map((process) => process.close()));
  return samples;
}

function toFigures(bundle: Bundle, samples: Samples, loopCpuUs: number): TokenFigures {
  return {
    bundleBytes: bundle.bytes,
    moduleLoadMs: median(samples.cold.map(({ moduleLoadMs }) => moduleLoadMs)),
    firstTokenMs: median(samples.cold.map(({ firstResponseMs }) => firstResponseMs)),
    cpuUs: median(samples.cpuUs),
    loopCpuUs,
    wallMs: median(samples.wallMs),
    maxRssMb: samples.maxRssMb,
  };
}

/** Counts what a cold process, and then the warm one, asks of the backends. */
async function countCalls(
  target: Target,
  runtime: string,
  backend: Backend,
): Promise<Record<string, CallCounts>> {
  const process = await start(target, runtime);
  const wrong = tokenRequestHeaders(formatClientSecret(new Uint8Array(32).fill(9)));
  const requests: readonly (readonly [string, unknown, number])[] = [
    ['first token of a process', tokenEvent(), 200],
    ['token', tokenEvent(), 200],
    ['wrong secret', tokenEvent(wrong), 401],
    ['malformed request', tokenEvent(undefined, 'grant_type='), 400],
    ['no credentials', tokenEvent([]), 400],
  ];
  await backend.command({});
  const counts: Record<string, CallCounts> = {};
  for (const [name, event, status] of requests) {
    const { payload } = await process.invoke(event);
    expectStatus(status)(payload);
    counts[name] = await backend.command({});
  }
  await process.close();
  return counts;
}

export async function runTokenSection(
  backend: Backend,
  runtime: string,
  plan: Plan,
): Promise<TokenSection> {
  await backend.command({ items: createItems(backend) });
  const bundles = [
    buildFunction('token'),
    buildUsualWay('reference', 'bench/reference/token-handler.ts'),
    buildUsualWay('empty', 'bench/reference/empty-handler.ts'),
  ];
  const targets = createTargets(backend, bundles);
  const [ours, reference, empty] = await sampleAll(targets, runtime, plan, backend);
  const loop = median(empty?.cpuUs ?? []);
  return {
    ours: toFigures(bundles[0] as Bundle, ours as Samples, loop),
    reference: toFigures(bundles[1] as Bundle, reference as Samples, loop),
    delays,
    calls: await countCalls(targets[0] as Target, runtime, backend),
  };
}
