import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBackend } from './backend/backend.ts';
import { buildMeasuredRuntime, emptyWorkFolder, workFolder } from './build.ts';
import { fullPlan, type Plan, quickPlan } from './plan.ts';
import { formatTargets } from './report/tables.ts';
import { writeReport } from './report/write-report.ts';
import type { Machine, Results } from './results.ts';
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

function describeMachine(startedAt: Date, begin: number): Machine {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cpus: availableParallelism(),
    startedAt: startedAt.toISOString(),
    seconds: (performance.now() - begin) / 1000,
    plan: plan.name,
  };
}

/** Says on the terminal what goes on: a full run takes minutes. */
async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  process.stdout.write(`${name} ...`);
  const result = await run();
  process.stdout.write(` ${Math.round((performance.now() - begin) / 1000)} s\n`);
  return result;
}

async function measureAll(): Promise<Results> {
  const startedAt = new Date();
  const begin = performance.now();
  emptyWorkFolder();
  const backend = await startBackend();
  const options = { backend, plan, runtime: buildMeasuredRuntime() };
  try {
    const token = await step('token', () => runTokenSection(options));
    const documents = await step('documents', () => runDocumentSection(options));
    const authorizer = await step('authorizer', () => runAuthorizerSection(options));
    const oidcProvider = await step('oidc-provider', () => runOidcProviderSection(options));
    const reuse = await step('token reuse', runReuseSection);
    const sharedReuse = await step('shared token reuse', () => runSharedReuseSection(options));
    const scale = await step('scale', () => runScaleSection(options));
    const machine = describeMachine(startedAt, begin);
    return { machine, token, documents, authorizer, oidcProvider, reuse, sharedReuse, scale };
  } finally {
    await backend.close();
  }
}

/** @param before figures of a full run. */
async function measureReuse(before: Results): Promise<Results> {
  emptyWorkFolder();
  const backend = await startBackend();
  const options = { backend, plan, runtime: buildMeasuredRuntime() };
  try {
    const reuse = await step('token reuse', runReuseSection);
    const sharedReuse = await step('shared token reuse', () => runSharedReuseSection(options));
    return { ...before, reuse, sharedReuse };
  } finally {
    await backend.close();
  }
}

const fullResults = join(import.meta.dirname, 'results');
const readFullResults = () =>
  JSON.parse(readFileSync(join(fullResults, 'full.json'), 'utf8')) as Results;
const results = values.reuse ? await measureReuse(readFullResults()) : await measureAll();
const folder = values.quick ? workFolder : fullResults;
mkdirSync(folder, { recursive: true });
const file = join(folder, `${plan.name}.json`);
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
if (!values.quick) writeReport(results);
process.stdout.write(`\n${formatTargets(results)}\n\nresults: ${file}\n`);
