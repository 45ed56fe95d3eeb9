import { join } from 'node:path';
import { type ChildScript, startChildScript } from '../../support/child-script.ts';
import { awsRegion } from '../scenario.ts';

/** A server of this folder in a process of its own. Its answer is its CPU time in microseconds. */
export type Server = ChildScript<{ readonly port: number }, 'cpuUs', number>;

/** @param file its name in this folder. */
export function startServer(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<Server> {
  const env = { PATH: process.env['PATH'], AWS_REGION: awsRegion, ...variables };
  // Its log is written, and thrown away by the kernel.
  const stdio = ['ignore' as const, 'ignore' as const, 'ignore' as const, 'ipc' as const];
  return startChildScript(join(import.meta.dirname, file), { env, stdio });
}
