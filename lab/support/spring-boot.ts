import { join } from 'node:path';
import { OutputProcess } from './output-process.ts';
import type { Command } from './run-command.ts';
import { jarRuntime, type Missing, type Trust } from './runtimes.ts';

const folder = join(import.meta.dirname, '../../examples/spring-boot');

/** Projects of the example, which share their source. */
export type SpringBoot = 'boot-3' | 'boot-4';

export function pomOf(boot: SpringBoot): string {
  return join(folder, boot, 'pom.xml');
}

/** @param args of the service. */
export async function buildSpringBoot(
  boot: SpringBoot,
  trust: Trust,
  ...args: readonly string[]
): Promise<{ readonly command: Command } | Missing> {
  const built = await jarRuntime(join(folder, boot), boot, 'messages-api-1.jar')('', trust);
  if ('missing' in built) return built;
  const address = ['--server.port=0', '--server.address=127.0.0.1'];
  return { command: [...built.command, ...address, ...args] };
}

/** What Spring Boot, the examples of this project, and Next.js say. */
const listening =
  /(?:Tomcat started on port |listening on port |Local: +http:\/\/127\.0\.0\.1:)(\d+)/;

/** Runs the command on a free port. @throws {Error} when the service ends before it listens. */
export async function startApi(
  command: Command,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly close: () => Promise<unknown> }> {
  const service = new OutputProcess(command, { env: { ...process.env, ...environment } });
  const close = () => service.stop();
  try {
    const [, port] = await service.waitFor(
      'it listened',
      () => listening.exec(service.output) ?? undefined,
    );
    return { url: `http://127.0.0.1:${port}/messages`, close };
  } catch (error) {
    await close();
    throw new Error(`${String(error)}\n${service.output.slice(-2000)}`, { cause: error });
  }
}
