import { createRequire } from 'node:module';
import { answerParent } from '../support/child-script.ts';
import { createCacheWalk } from './cache-walk.ts';
import { asOfNow } from './measure.ts';
import type { PairBlocks, PairQuestion, PairSide, Temperature } from './pairs.ts';
import type { PairPlan } from './plan.ts';
import { inDrawnOrder } from './statistics.ts';

// Two handlers in one process: the same heap, the same caches, the same minute.

type Handler = (event: unknown, context: object) => Promise<unknown>;

const context = {
  awsRequestId: '11111111-2222-4333-8444-555555555555',
  functionName: 'bench',
  getRemainingTimeInMillis: () => 3000,
};

/** Status code of a REST API's function, or the effect of an authorizer's policy. */
function outcomeOf(payload: unknown): unknown {
  const { statusCode, policyDocument } = payload as {
    readonly statusCode?: number;
    readonly policyDocument?: { readonly Statement: readonly { readonly Effect: string }[] };
  };
  return statusCode ?? policyDocument?.Statement[0]?.Effect;
}

function load({ taskRoot, event, outcome, ownEnvironment }: PairSide): () => Promise<void> {
  const common = { ...process.env };
  Object.assign(process.env, ownEnvironment);
  const { handler } = createRequire(`${taskRoot}/`)('./index.js') as { readonly handler: Handler };
  for (const name in ownEnvironment) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, common);
  return async () => {
    const payload = await handler(asOfNow(event), context);
    if (outcomeOf(payload) !== outcome) {
      throw new Error(`expected ${String(outcome)}, received ${JSON.stringify(payload)}`);
    }
  };
}

const cpuUs = (before?: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

const heapUsed = () => process.memoryUsage().heapUsed;

/** @returns microseconds of one invocation. */
async function measureBlock(
  invoke: () => Promise<void>,
  temperature: Temperature,
  { blockSize }: PairPlan,
): Promise<number> {
  if (temperature === 'warm') {
    const before = process.cpuUsage();
    for (let index = 0; index < blockSize; index += 1) await invoke();
    return cpuUs(before) / blockSize;
  }
  walk();
  const before = process.cpuUsage();
  await invoke();
  return cpuUs(before);
}

const walk = createCacheWalk();

async function measure({ ours, floor, plan }: PairQuestion): Promise<PairBlocks> {
  const invokes = { ours: load(ours), floor: load(floor) };
  const sides = () => ({ ours: [], floor: [] });
  const blocks: PairBlocks = { warm: sides(), cold: sides(), heap: sides() };
  for (let index = 0; index < plan.warmUp; index += 1) {
    await invokes.ours();
    await invokes.floor();
  }
  for (const temperature of ['warm', 'cold'] as const) {
    for (let block = 0; block < plan[temperature]; block += 1) {
      for (const side of inDrawnOrder(['ours', 'floor'] as const)) {
        const before = heapUsed();
        blocks[temperature][side].push(await measureBlock(invokes[side], temperature, plan));
        const grown = (heapUsed() - before) / plan.blockSize;
        if (temperature === 'warm') blocks.heap[side].push(grown);
      }
    }
  }
  return blocks;
}

answerParent({}, measure);
