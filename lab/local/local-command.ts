import { readFileSync } from 'node:fs';
import { jwksPath } from '../../contract/routes.ts';
import { toPrintable } from '../../core/printable-text.ts';
import { LocalRunError } from '../emulator/loopback-server.ts';
import { sayProgress } from '../support/visible-wait.ts';
import { describeUsage, parseArguments } from './arguments.ts';
import { readConfigFile } from './config-file.ts';
import type { Edition } from './edition.ts';
import {
  configHint,
  describeRequest,
  describeRotation,
  faultsHint,
  greet,
  rotationDemoHint,
} from './greeting.ts';
import { rotationDemo } from './rotation-demo.ts';
import type { LocalRun } from './start-local.ts';

/**
 * The parent of a shell that runs a command for npm: some shells, such as dash, stay as a process
 * between npm and the command, and do not pass on what ends npm.
 *
 * @returns undefined if the process is no such shell, or the system has no /proc.
 */
function parentOfShell(pid: number): number | undefined {
  try {
    const [, option] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (option !== '-c') return undefined;
    // proc_pid_stat(5): the second field is a name in parentheses, which may contain any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/**
 * The npm, or npx, that started this process. When it has ended, the system gives this process, or
 * the shell between them, another parent.
 *
 * @returns whether it still runs; undefined if npm did not start this process, which may then
 * outlive its shell.
 */
function findNpm(): (() => boolean) | undefined {
  if (process.env['npm_lifecycle_event'] === undefined) return undefined;
  const parent = process.ppid;
  const npm = parentOfShell(parent);
  return () => process.ppid === parent && parentOfShell(parent) === npm;
}

/** Milliseconds after which a run ends even if it has not closed. */
const closingLimit = 1000;

/** The only place that prints. Requests and errors may contain terminal control characters. */
function print(stream: NodeJS.WriteStream, text: string): void {
  stream.write(toPrintable(text));
}

function endWith(local: LocalRun): void {
  print(process.stdout, '\nStopping.\n');
  // Errors while everything closes cannot be reported.
  process.on('uncaughtException', () => undefined);
  setTimeout(() => process.exit(0), closingLimit).unref();
  local.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

/** `npm start | head` closes the pipe. The service continues without output. */
function outliveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Milliseconds between two looks at npm. */
const parentInterval = 500;

/**
 * Ends the run on the first signal: with npm, Ctrl-C arrives twice, from the terminal and from npm.
 * npm forwards SIGINT and SIGTERM, and only these. If it ends in another way, the run ends too, so
 * that it does not keep ports and state.
 */
function endInTime(local: LocalRun, isNpmAlive: (() => boolean) | undefined): void {
  let stopping = false;
  const end = () => {
    if (stopping) return;
    stopping = true;
    endWith(local);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  if (isNpmAlive === undefined) return;
  setInterval(() => isNpmAlive() || end(), parentInterval).unref();
}

/** Reads a script before anything starts, and plays it when everything has started. */
async function loadFaults(path: string) {
  const [{ readFaultScript }, { Faults }] = await Promise.all([
    import('../emulator/faults/fault-script.ts'),
    import('../emulator/faults/faults.ts'),
  ]);
  const script = readFaultScript(path);
  const faults = new Faults();
  return { faults, hint: faultsHint(path, script), begin: () => faults.play(script) };
}

async function run(edition: Edition): Promise<void> {
  const isNpmAlive = findNpm();
  const {
    help,
    faultScript,
    rotationDemo: isDemo,
    portalLogin,
    config: configPath,
    ...options
  } = parseArguments(process.argv.slice(2), process.env, edition);
  if (help) {
    print(process.stdout, describeUsage(edition));
    return;
  }
  const { extras } = edition;
  const endProgress = sayProgress('Starting the service', '2 to 60 seconds');
  // Imported here, so help and refusals do not wait for half of the project to load.
  const { startLocal } = await import('./start-local.ts');
  const faults = faultScript === undefined ? undefined : await loadFaults(faultScript);
  // Read before anything starts or, with --reset, is deleted.
  const file = configPath === undefined ? undefined : readConfigFile(configPath);
  const local = await startLocal({
    ...options,
    config: file?.input,
    ...(isDemo && rotationDemo),
    signingAlgorithms:
      options.signingAlgorithms ?? (isDemo ? rotationDemo.signingAlgorithms : undefined),
    startLoginPortal: portalLogin ? await extras?.loadLoginPortal() : undefined,
    portal: true,
    faults: faults?.faults,
    onRequest: (note) => {
      // The canary of a demonstration runs every second.
      if (isDemo && note.path === jwksPath) return;
      print(process.stdout, `${describeRequest(note)}\n`);
    },
    onStorage: (text) => print(process.stderr, `${text}\n`),
    onRotation: (report) => print(process.stdout, describeRotation(report)),
  });
  endProgress();
  endInTime(local, isNpmAlive);
  print(process.stdout, greet(local, edition, file?.config));
  if (file !== undefined) print(process.stdout, configHint(configPath ?? '', file.config));
  if (isDemo) print(process.stdout, rotationDemoHint);
  if (faults !== undefined) print(process.stdout, faults.hint);
  faults?.begin();
}

function explain(error: unknown): string {
  if (error instanceof LocalRunError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    return `${error.message}: run "npm ci"`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs the service until a signal ends it. Its flags and ports are those of this process. */
export async function runLocalCommand(edition: Edition): Promise<void> {
  outliveClosedPipes();
  try {
    await run(edition);
  } catch (error) {
    print(process.stderr, `${edition.name}: ${explain(error)}\n`);
    process.exit(1);
  }
}
