import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { maxReusableTokens } from '../../../contract/limits.ts';
import { sealedTokenTableName, tableName } from '../../../contract/tables.ts';
import type { FunctionProcess } from '../../emulator/runtime-api/function-process.ts';
import type { Backend, Delays } from '../backend/backend.ts';
import { buildFunction } from '../build.ts';
import { asOfNow, expectStatus, measureWarm, start, type Target } from '../measure.ts';
import type { SampleOptions } from '../sample.ts';
import {
  backendEnvironment,
  clientItem,
  config,
  createClient,
  createItems,
  usualDelays as delays,
  environments,
  noDelays,
  usualSize,
} from '../scenario.ts';
import { inDrawnOrder, median } from '../statistics.ts';
import { tokenEvent } from './token.ts';

/** One way in which a token is issued. */
interface SharedReuseFigures {
  /** From the call of the handler to its answer, with the delays. */
  readonly wallMs: number;
  /** CPU time of the whole process for an invocation. */
  readonly cpuUs: number;
}

export interface SharedReuseSection {
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  /** Processes that wanted a core, on average over the minute before. */
  readonly load: number;
  readonly delays: Delays;
  /** Without the setting: a read and a Sign. */
  readonly off: SharedReuseFigures;
  /** Another instance signed the token: two reads at once. */
  readonly hit: SharedReuseFigures;
  /** No instance did: two reads at once, a Sign, and a write that no one waits for. */
  readonly miss: SharedReuseFigures;
  /** Writes that arrived although the process stood still from its answer on. */
  readonly frozen: { readonly answers: number; readonly writesArrived: number };
}

/** More requests than an instance has tokens in its own memory, so that none is found there. */
const requestCount = maxReusableTokens + 100;
const scopes = Array.from({ length: 11 }, (_, index) => `bench${index}:view`);

/** Each index has its own subset of the scopes. */
function bodyOf(index: number): string {
  const chosen = scopes.filter((_, bit) => ((index + 1) >> bit) & 1);
  const scope = chosen.join(' ');
  return new URLSearchParams({ grant_type: 'client_credentials', scope }).toString();
}

const events = Array.from({ length: requestCount }, (_, index) =>
  tokenEvent(undefined, bodyOf(index)),
);

function itemsWithScopes(backend: Backend) {
  const clients = tableName(config.name, 'clients');
  const client = { ...createClient(usualSize), scopes };
  const others = createItems(backend).filter(({ table }) => table !== clients);
  return [clientItem(client), ...others];
}

/** Stops the process as soon as it has answered, as Lambda does, and counts what arrived. */
async function countFrozenWrites(target: Target, { backend, runtime }: SampleOptions) {
  const process = await start(target, runtime);
  await process.invoke(asOfNow(events[0]));
  await backend.command({});
  const answers = 50;
  let writesArrived = 0;
  for (let index = 1; index <= answers; index += 1) {
    await process.invoke(asOfNow(events[index]));
    globalThis.process.kill(process.pid, 'SIGSTOP');
    // What had not left the process by then does not leave it in this time either.
    await wait(20);
    writesArrived += (await backend.command({}))['PutItem'] ?? 0;
    globalThis.process.kill(process.pid, 'SIGCONT');
  }
  await process.close();
  return { answers, writesArrived };
}

/** Asks each request once, so that the table has all of their tokens. */
async function fillTable(target: Target, { backend, runtime }: SampleOptions): Promise<void> {
  await backend.command({ keepsItems: true });
  const writer = await start(target, runtime);
  await measureWarm(writer, target, requestCount);
  await writer.close();
}

/** How often each request is sent before anything counts. */
const warmUpRounds = 3;

/** Invocations before the next subject has its turn. */
const turn = 20;

interface Subject {
  readonly process: FunctionProcess;
  readonly target: Target;
  readonly cpuUs: number;
  /** Of each turn. */
  readonly wallMs: number[];
}

async function startSubject(
  target: Target,
  { plan, runtime }: Pick<SampleOptions, 'plan' | 'runtime'>,
): Promise<Subject> {
  const process = await start(target, runtime);
  await measureWarm(process, target, Math.min(plan.warmUp, warmUpRounds * requestCount));
  const { cpuUs } = await measureWarm(process, target, requestCount);
  return { process, target, cpuUs, wallMs: [] };
}

/** Each turn goes on in the list: the instance has the tokens of requests before in its memory. */
async function takeTurn({ process, target, wallMs }: Subject): Promise<void> {
  const begin = (wallMs.length * (turn + 1)) % requestCount;
  const ordered = [...events.slice(begin), ...events.slice(0, begin)];
  wallMs.push((await measureWarm(process, { ...target, events: ordered }, turn)).wallMs);
}

/**
 * Asks instances by turns, each of which is a process.
 *
 * @param sharing what fills the table for hits. A miss is one because nothing that is written stays.
 */
async function measureSubjects<Name extends string>(
  targets: Readonly<Record<Name, Target>>,
  options: SampleOptions,
  sharing?: Target,
): Promise<Readonly<Record<Name, SharedReuseFigures>>> {
  const { backend, plan } = options;
  await backend.command({ items: itemsWithScopes(backend), keepsItems: false });
  if (sharing !== undefined) await fillTable(sharing, options);
  await backend.command({ keepsItems: false });
  const subjects: Subject[] = [];
  for (const target of Object.values<Target>(targets)) {
    subjects.push(await startSubject(target, options));
  }
  await backend.command({ delays });
  for (let count = 0; count < plan.sharedInvocations; count += turn) {
    for (const subject of inDrawnOrder(subjects)) await takeTurn(subject);
  }
  const { Sign: signs = 0 } = await backend.command({ delays: noDelays });
  await Promise.all(subjects.map(({ process }) => process.close()));
  if (sharing !== undefined && signs > plan.sharedInvocations / 2) {
    throw new Error(`hits cost ${signs} signatures in ${plan.sharedInvocations} tokens`);
  }
  const names = Object.keys(targets);
  const figures = subjects.map(({ cpuUs, wallMs }, index) => [
    names[index],
    { cpuUs, wallMs: median(wallMs) },
  ]);
  return Object.fromEntries(figures) as Record<Name, SharedReuseFigures>;
}

export async function runSharedReuseSection(options: SampleOptions): Promise<SharedReuseSection> {
  const { backend } = options;
  const begin = { startedAt: new Date().toISOString(), load: loadavg()[0] ?? Number.NaN };
  const environment = { ...backendEnvironment(backend), ...environments.token };
  const bundle = buildFunction('token');
  const off: Target = { bundle, environment, event: events[0], events, check: expectStatus(200) };
  const table = { AUTH_SEALED_TOKENS_TABLE: sealedTokenTableName(config.name) };
  const shared = { ...environment, AUTH_TOKEN_REUSE_SHARE: '0.5', ...table };
  const sharing: Target = { ...off, environment: shared };
  await backend.command({ items: itemsWithScopes(backend), keepsItems: false });
  const frozen = await countFrozenWrites(sharing, options);
  return {
    ...begin,
    delays,
    ...(await measureSubjects({ off, miss: sharing }, options)),
    ...(await measureSubjects({ hit: sharing }, options, sharing)),
    frozen,
  };
}
