import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stepLimit } from './hang-limit.ts';
import { runMaven } from './java.ts';

const folder = join(import.meta.dirname, '../../examples/spring-boot');

/** Projects of the example, which share their source. */
export const springBoots = ['boot-3', 'boot-4'] as const;
export type SpringBoot = (typeof springBoots)[number];

export function pomOf(boot: SpringBoot): string {
  return join(folder, boot, 'pom.xml');
}

/** Builds the jar of the example. */
export async function buildSpringBoot(
  boot: SpringBoot,
  target: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly jar: string } | { readonly missing: string }> {
  const build = { project: join(folder, boot), target, environment };
  const missing = await runMaven(build, ['package']);
  return missing === undefined ? { jar: join(target, 'messages-api-1.jar') } : { missing };
}

export interface RunningService {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it on a free port. C1 is enough for the few requests of a test, and starts sooner. */
export function springBootCommand(
  jar: string,
  trust: readonly string[],
  ...args: readonly string[]
): readonly [string, ...string[]] {
  const address = ['--server.port=0', '--server.address=127.0.0.1'];
  return ['java', '-XX:TieredStopAtLevel=1', ...trust, '-jar', jar, ...address, ...args];
}

/**
 * Runs the command, and waits until the service listens.
 *
 * @throws {Error} with the last output if it ends before.
 */
export function startSpringBoot(
  [command, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<RunningService> {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const limit = setTimeout(() => child.kill(), stepLimit);
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const close = async () => {
    child.kill();
    await ended;
  };
  return new Promise((resolve, reject) => {
    let last = '';
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = line.trim() === '' ? last : line;
      const port = /Tomcat started on port (\d+)/.exec(line)?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      resolve({ url: `http://127.0.0.1:${port}/messages`, close });
    });
    child.on('error', reject);
    void ended.then(() => {
      clearTimeout(limit);
      reject(new Error(`the service ended: ${last}`));
    });
  });
}
