import { mkdirSync, writeFileSync } from 'node:fs';
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
import { runTokenSection } from './sections/token.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
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
    const scale = await step('scale', () => runScaleSection(options));
    const machine = describeMachine(startedAt, begin);
    return { machine, token, documents, authorizer, oidcProvider, reuse, scale };
  } finally {
    await backend.close();
  }
}

const results = await measureAll();
const folder = values.quick ? workFolder : join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `${plan.name}.json`);
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
if (!values.quick) writeReport(results);
process.stdout.write(`\n${formatTargets(results)}\n\nresults: ${file}\n`);
