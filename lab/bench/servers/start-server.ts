import { join } from 'node:path';
import { type ChildScript, startChildScript } from '../../support/child-script.ts';
import { awsRegion } from '../scenario.ts';
import type { Usage } from './server-process.ts';

/** A server of this folder in a process of its own, which says its usage when it is asked. */
export type Server = ChildScript<{ readonly port: number }, 'usage', Usage>;

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
