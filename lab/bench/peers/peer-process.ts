import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { runOrThrow } from '../../support/run-command.ts';

/** Bytes of a file or a folder. */
export async function sizeOf(path: string): Promise<number> {
  return Number((await runOrThrow(['du', '-sb', path])).split('\t')[0]);
}

/** Starts a server whose output no one reads. */
export function startPeerProcess(
  command: string,
  args: readonly string[],
  directory: string,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess & { readonly pid: number } {
  const env = { PATH: process.env['PATH'], HOME: directory, ...variables };
  const child = spawn(command, [...args], { cwd: directory, env, stdio: 'ignore' });
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return child as ChildProcess & { readonly pid: number };
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
