import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Enough for a download on a slow line. */
const commandLimit = 15 * 60_000;

/** Runs a tool to its end. @throws {Error} with the last lines that it wrote. */
export async function runTool(
  command: string,
  args: readonly string[],
  directory: string,
): Promise<string> {
  try {
    const options = { cwd: directory, timeout: commandLimit, maxBuffer: 64 * 1024 * 1024 };
    return (await execute(command, [...args], options)).stdout;
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as Error & {
      readonly stdout?: string;
      readonly stderr?: string;
    };
    const last = `${stdout}\n${stderr}`.trim().split('\n').slice(-3).join(' ');
    throw new Error(`${command} failed: ${last || message}`, { cause: error });
  }
}

export async function sizeOf(path: string): Promise<number> {
  return Number((await runTool('du', ['-sb', path], '/')).split('\t')[0]);
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
