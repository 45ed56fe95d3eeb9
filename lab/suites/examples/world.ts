import { join } from 'node:path';
import { tokenPath } from '../../../contract/routes.ts';
import type { LocalOptions, LocalRun } from '../../local/start-local.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { type Trust, trustVariables } from '../../support/runtimes.ts';
import { withLocalService } from '../../support/with-local-service.ts';

const root = join(import.meta.dirname, '../../..');

/** What the examples meet: a service with TLS, and a client whose tokens live for a minute only. */
export interface World {
  readonly service: LocalRun;
  readonly trust: Trust;
  /** Environment of an example, the trust in the service's certificate included. */
  readonly environment: Readonly<Record<string, string>>;
  /** Credentials of the client whose tokens are always about to expire. */
  readonly shortLived: { readonly CLIENT_ID: string; readonly CLIENT_SECRET: string };
  /** How many tokens were asked for since the last call. */
  takeTokenRequests(): number;
}

/** Runs `authctl` for a local run. @returns what it printed with `--quiet`. */
export async function authctl(service: LocalRun, ...args: readonly string[]): Promise<string> {
  const command = [process.execPath, join(root, 'cli/authctl.ts'), '--quiet', ...args] as const;
  return (await runOrThrow(command, { environment: service.environment })).trim();
}

/** Counts token requests of a service that is started with `onRequest`. */
export function countTokenRequests() {
  let count = 0;
  return {
    onRequest: ({ path }: { readonly path: string }): void => {
      if (path === tokenPath) count += 1;
    },
    /** @returns how many there were since the last call. */
    take: (): number => {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

export async function prepareWorld(
  service: LocalRun,
  takeTokenRequests: () => number,
): Promise<World> {
  const caPath = service.caPath ?? '';
  const client = ['--name', 'Short', '--trunk-group', 'demo', '--scope', 'messaging:view'];
  const CLIENT_ID = await authctl(service, 'client', 'create', ...client, '--token-lifetime', '1m');
  const CLIENT_SECRET = await authctl(service, 'client-secret', 'create', CLIENT_ID);
  return {
    service,
    trust: { caPath, directory: service.paths.directory },
    environment: { ...service.environment, ...trustVariables(caPath) },
    shortLived: { CLIENT_ID, CLIENT_SECRET },
    takeTokenRequests,
  };
}

type WorldOptions = Pick<LocalOptions, 'authorizationEndpoint' | 'clientKeys' | 'dpop'>;

/** Starts a service for as long as it is used. */
export async function withWorld(
  use: (world: World) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  const { onRequest, take } = countTokenRequests();
  await withLocalService({ ...options, https: true, onRequest }, async (service) => {
    await use(await prepareWorld(service, take));
  });
}

/** The same with a service for each of the options. */
export async function withWorlds(
  [options, ...others]: readonly WorldOptions[],
  use: (...worlds: readonly World[]) => Promise<void>,
): Promise<void> {
  if (options === undefined) return use();
  await withWorld((world) => withWorlds(others, (...rest) => use(world, ...rest)), options);
}
