import type { Reporter, TestModule } from 'vitest/node';

/** How many files are listed. */
const count = 10;

interface TimedFile {
  readonly name: string;
  /** Milliseconds for imports, hooks and tests, waiting included. */
  readonly time: number;
}

function timeOf(module: TestModule): TimedFile {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return { name: module.relativeModuleId, time: collectDuration + setupDuration + duration };
}

/** The slowest files, one a line. */
function listSlowest(files: readonly TimedFile[]): string {
  const slowest = files.toSorted((a, b) => b.time - a.time).slice(0, count);
  const lines = slowest.map(
    ({ name, time }) => `${(time / 1000).toFixed(1).padStart(8)} s  ${name}`,
  );
  return ['', `The slowest ${slowest.length} of ${files.length} test files:`, ...lines, ''].join(
    '\n',
  );
}

/** Says at the end of a run if its time went. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length > 1) process.stdout.write(`${listSlowest(modules.map(timeOf))}\n`);
  }
}
