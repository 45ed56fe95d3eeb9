import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { awsRegion } from '../scenario.ts';

/** A server of this folder in a process of its own. It ends when its parent disconnects. */
export interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

/** @param file its name in this folder. */
export async function startServer(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<Server> {
  const env = { PATH: process.env['PATH'], AWS_REGION: awsRegion, ...variables };
  // Its log is written, and thrown away by the kernel.
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  const child = fork(join(import.meta.dirname, file), { env, stdio: [...stdio], execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port };
}
