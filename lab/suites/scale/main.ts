import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChildScript } from '../../support/child-script.ts';
import type { Taken } from './operations.ts';

/*
 * Each operation with 1,000, 10,000 and 100,000 clients, as many API keys and records of the audit a
 * day: what it takes, and how that grows. Nothing of a customer grows with others; nothing grows faster
 * than what it reads; and at the stated quotas everything is below a tenth of its timeout and memory.
 */

const sizes = [1000, 10_000, 100_000];
/** docs/limits.md. Records of the audit: 35 days of 132,000. */
const quotas = { clients: 250_000, auditRecords: 35 * 132_000 };

/** Milliseconds and megabytes: the management function, and authctl on a machine with 8 GB. */
const tenth = { functionMs: 6000, authctlMs: 360_000, heapMb: 400 };
const steepest = 1.1;
/** Milliseconds after which an operation hangs. What it takes is judged by its CPU time. */
const longest = 1_200_000;

type Counts = Readonly<Record<string, { readonly calls: number; readonly units: number }>>;
/** What one operation took. */
type Measured = Taken & ReturnType<typeof summarise> & { readonly name: string };
type Rule = (rows: readonly Measured[]) => readonly string[];

/** The exponent of the growth from the second size to the last. */
function exponentOf(rows: readonly Measured[], of: 'units' | 'cpuMs' | 'heapMb', floor: number) {
  const [, before = 0, last = 0] = rows.map((row) => Math.max(row[of], floor));
  return Math.log(last / before) / Math.log((sizes[2] ?? 1) / (sizes[1] ?? 1));
}

/** What is noise counts as if it were that much. */
const exponents = (rows: readonly Measured[]) => ({
  units: exponentOf(rows, 'units', 1),
  cpu: exponentOf(rows, 'cpuMs', 100),
  heap: exponentOf(rows, 'heapMb', 20),
});

const last = (rows: readonly Measured[]) => rows.at(-1) as Measured;
const above = (what: string, value: number, most: number) =>
  value > most ? [`${what}: ${value.toFixed(2)}, at most ${most}`] : [];

/** It costs as if the others did not exist. */
const constant: Rule = (rows) => {
  const [first = last(rows)] = rows;
  return [
    ...above('units', last(rows).units, 1.2 * first.units + 2),
    ...above('calls', last(rows).calls, first.calls + 2),
    ...above('milliseconds', last(rows).cpuMs, tenth.functionMs),
  ];
};

/** It grows no faster than what it reads. @param most at the quota of clients. */
const linear =
  (mostMs: number): Rule =>
  (rows) => {
    const { units, cpu, heap } = exponents(rows);
    const times = quotas.clients / (sizes[2] ?? 1);
    return [
      ...above('exponent of units', units, steepest),
      ...above('exponent of CPU', cpu, steepest),
      ...above('milliseconds at the quota', last(rows).cpuMs * times, mostMs),
      ...above('MB at the quota', last(rows).heapMb * Math.max(1, times ** heap), tenth.heapMb),
    ];
  };

const rules: Readonly<Record<string, Rule>> = {
  findClient: constant,
  'a customer lists its clients': constant,
  'a customer creates a client': constant,
  // It has 10,000 at the last size: their names are counted, and not read.
  'the largest customer creates a client': (rows) => [
    ...above('units', last(rows).units, 500),
    ...above('milliseconds', last(rows).cpuMs, tenth.functionMs),
  ],
  'a customer reads a page of the audit': constant,
  'staff finds a secret by its id': linear(tenth.functionMs),
  'tokens of a provider, 2,000': (rows) => above('reads', last(rows).calls, 10),
  // Two processes: each reads a key once a day, and one of them writes it.
  'calls with API keys, 10,000': (rows) => [
    ...above('writes for each key', last(rows).writes / Number(last(rows).remark), 1.05),
    ...above('calls for each key', last(rows).calls / Number(last(rows).remark), 3.05),
  ],
  'authctl client list --json': linear(tenth.authctlMs),
  'authctl table restore clients': (rows) => {
    const [first = last(rows)] = rows;
    const records = 3 * ((sizes[2] ?? 1) - (sizes[0] ?? 0));
    const perRecord = Math.max(0, last(rows).heapMb - first.heapMb) / records;
    return [
      ...(last(rows).remark === 'reported before' ? [] : ['it writes before it reports']),
      ...above('exponent of CPU', exponents(rows).cpu, steepest),
      ...above('MB at the quota', first.heapMb + perRecord * quotas.auditRecords, tenth.heapMb),
    ];
  },
};

const print = (text: string) => process.stdout.write(`${text}\n`);
const path = (name: string) => join(import.meta.dirname, name);

/** Everything at one size. What does not end in time ends its process, and the next one gets another. */
async function measureAll(size: number): Promise<readonly Measured[]> {
  const env = { ...process.env, SCALE_SIZE: String(size) };
  const server = await startChildScript<{ readonly port: number }, object, Counts>(
    path('wire-server.ts'),
    { env },
  );
  const start = () =>
    startChildScript<object, string, Taken>(path('operations.ts'), {
      execArgv: ['--expose-gc'],
      env: {
        ...env,
        AWS_REGION: 'us-west-2',
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'x',
        AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${server.started.port}`,
      },
    });
  const rows: Measured[] = [];
  let product = await start();
  const measure = async (name: string) => {
    await server.ask({});
    const timer = new AbortController();
    const overdue = sleep(longest, undefined, { signal: timer.signal }).catch(() => undefined);
    const taken = await Promise.race([product.ask(name).catch(() => undefined), overdue]);
    timer.abort();
    return taken;
  };
  for (const name of Object.keys(rules)) {
    const taken = await measure(name);
    if (taken === undefined) {
      product.child.kill('SIGKILL');
      product = await start();
    }
    const failure = `it died, or took more than ${longest / 60_000} minutes`;
    const row = { ...summarise(await server.ask({})), ...(taken ?? { ...nothing, failure }), name };
    const { calls, units, writes, cpuMs, heapMb } = row;
    const figures = `${calls} calls, ${units} units, ${writes} writes, ${cpuMs} ms of CPU, ${heapMb} MB`;
    print(
      `${String(size).padStart(7)}  ${name.padEnd(38)}${figures}  ${row.failure ?? row.remark}`,
    );
    rows.push(row);
  }
  await product.close();
  await server.close();
  return rows;
}

const nothing: Taken = { cpuMs: 0, heapMb: 0, failure: undefined, remark: '' };

function summarise(counts: Counts) {
  const entries = Object.entries(counts);
  const sum = (of: 'calls' | 'units', pattern: RegExp) =>
    entries.reduce((total, [key, one]) => total + (pattern.test(key) ? one[of] : 0), 0);
  const units = Math.round(sum('units', /./));
  return { calls: sum('calls', /./), units, writes: sum('calls', /^(?:Put|Update|Delete)/) };
}

const measured: (readonly Measured[])[] = [];
for (const size of sizes) measured.push(await measureAll(size));
let failed = 0;
for (const [name, rule] of Object.entries(rules)) {
  const rows = measured.flatMap((all) => all.filter((row) => row.name === name));
  const problems = [...rows.flatMap(({ failure }) => failure ?? []), ...rule(rows)];
  const fitted = Object.values(exponents(rows)).map((exponent) => exponent.toFixed(2));
  const outcome = problems.length === 0 ? 'held' : 'RED ';
  print(`${outcome}  ${name}: exponents of units, CPU, heap ${fitted.join(', ')}`);
  for (const problem of problems) print(`        ${problem}`);
  if (problems.length > 0) failed += 1;
}
if (failed > 0) {
  throw new Error(`${failed} of ${Object.keys(rules).length} operations do not scale`);
}
