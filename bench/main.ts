import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBackend } from './backend/backend.ts';
import { buildMeasuredRuntime, emptyWorkFolder, workFolder } from './build.ts';
import { fullPlan, type Plan, quickPlan } from './plan.ts';
import { findShort, joinRounds } from './report/bands.ts';
import { formatTargets } from './report/tables.ts';
import { targetRows } from './report/targets.ts';
import { writeReport } from './report/write-report.ts';
import type { Machine, Results, Round } from './results.ts';
import type { SampleOptions } from './sample.ts';
import { runAuthorizerSection } from './sections/authorizer.ts';
import { runDocumentSection } from './sections/documents.ts';
import { runOidcProviderSection } from './sections/oidc-provider.ts';
import { runReuseSection } from './sections/reuse.ts';
import { runScaleSection } from './sections/scale.ts';
import { runSharedReuseSection } from './sections/shared-reuse.ts';
import { runTokenSection } from './sections/token.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Measures only token reuse again, and keeps the other figures of the last full run. */
    reuse: { type: 'boolean', default: false },
  },
});
const plan: Plan = values.quick ? quickPlan : fullPlan;

/** Says on the terminal what goes on: a full run takes minutes. */
async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  process.stdout.write(`${name} ...`);
  const result = await run();
  process.stdout.write(` ${Math.round((performance.now() - begin) / 1000)} s\n`);
  return result;
}

/** Measures with a backend of its own: nothing of one round is left in the next. */
async function withBackend<T>(run: (options: SampleOptions) => Promise<T>): Promise<T> {
  const backend = await startBackend();
  try {
    return await run({ backend, plan, runtime: buildMeasuredRuntime() });
  } finally {
    await backend.close();
  }
}

async function measureRounds<T>(run: (options: SampleOptions) => Promise<T>): Promise<T[]> {
  const rounds: T[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    process.stdout.write(`round ${round} of ${plan.rounds}\n`);
    rounds.push(await withBackend(run));
  }
  return rounds;
}

async function measureRound(options: SampleOptions): Promise<Round> {
  return {
    token: await step('  token', () => runTokenSection(options)),
    documents: await step('  documents', () => runDocumentSection(options)),
    authorizer: await step('  authorizer', () => runAuthorizerSection(options)),
    oidcProvider: await step('  oidc-provider', () => runOidcProviderSection(options)),
    sharedReuse: await step('  shared token reuse', () => runSharedReuseSection(options)),
  };
}

async function measureAll(): Promise<Results> {
  const startedAt = new Date();
  const begin = performance.now();
  const [load = Number.NaN] = loadavg();
  const rounds = await measureRounds(measureRound);
  const reuse = await step('token reuse', runReuseSection);
  const scale = await step('scale', () => withBackend(runScaleSection));
  const machine: Machine = {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: availableParallelism(),
    load,
    startedAt: startedAt.toISOString(),
    seconds: (performance.now() - begin) / 1000,
    plan: plan.name,
  };
  return { machine, rounds, reuse, scale };
}

/** @param before figures of a full run. */
async function measureReuse(before: Results): Promise<Results> {
  const reuse = await step('token reuse', runReuseSection);
  const again = await measureRounds((options) =>
    step('  shared token reuse', () => runSharedReuseSection(options)),
  );
  const rounds = before.rounds.map((round, index) => ({
    ...round,
    sharedReuse: again[index] ?? round.sharedReuse,
  }));
  return { ...before, rounds, reuse };
}

const fullResults = join(import.meta.dirname, 'results');
const readFullResults = () =>
  JSON.parse(readFileSync(join(fullResults, 'full.json'), 'utf8')) as Results;
emptyWorkFolder();
const results = values.reuse ? await measureReuse(readFullResults()) : await measureAll();
const folder = values.quick ? workFolder : fullResults;
mkdirSync(folder, { recursive: true });
const file = join(folder, `${plan.name}.json`);
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
if (!values.quick) writeReport(results);
const rows = joinRounds(results.rounds.map(targetRows));
process.stdout.write(`\n${formatTargets(rows)}\n\nresults: ${file}\n`);
// The figures of a quick run are noise.
const short = values.quick ? [] : findShort(rows);
for (const { figure, against, band, bound } of short) {
  process.stderr.write(
    `short in every round: ${figure}, against ${against}: at least ${band.lowest.toFixed(2)}, to reach ${bound}\n`,
  );
}
if (short.length > 0) process.exitCode = 1;
