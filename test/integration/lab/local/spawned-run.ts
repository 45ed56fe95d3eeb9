import { type ChildProcess, execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { OutputProcess } from '../../../../lab/support/output-process.ts';
import { programEnvironment } from '../../../../lab/support/program-environment.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** `npm start` in a process of its own. */
export interface SpawnedRun {
  readonly child: ChildProcess;
  /** What was printed so far. */
  output(): string;
  errors(): string;
  ready(): Promise<unknown>;
  /** @returns the exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export type Environment = Readonly<Record<string, string>>;

export function spawnLocal(
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): SpawnedRun {
  const running = new OutputProcess([process.execPath, 'lab/local/start.js', ...flags], {
    cwd: root,
    env: { ...programEnvironment(), PORT: '0', ...environment },
  });
  return {
    child: running.child,
    output: () => running.output,
    errors: () => running.errors,
    ended: running.ended.then(({ code, signal }) => code ?? signal),
    ready: () =>
      running.waitFor(
        'it was ready',
        () => running.output.includes('Stop with Ctrl-C') || undefined,
      ),
  };
}

/** Waits until the run has said that it is ready. */
export async function started(run: SpawnedRun): Promise<SpawnedRun> {
  await run.ready();
  return run;
}

export async function stop(run: SpawnedRun): Promise<void> {
  if (run.child.exitCode === null) run.child.kill('SIGTERM');
  await run.ended;
}

/** What a shell has after it has sourced a run's demo.env. */
export function sourceDemoEnvironment(state: string): Environment {
  const script = `set -a; . "$1"; set +a; exec "${process.execPath}" -p 'JSON.stringify(process.env)'`;
  const output = execFileSync('sh', ['-ec', script, 'sh', join(state, 'demo.env')], {
    env: {},
    encoding: 'utf8',
  });
  return JSON.parse(output) as Environment;
}
