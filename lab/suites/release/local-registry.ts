import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OutputProcess } from '../../support/output-process.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { cacheFolder, nodeRuntime } from '../../support/runtimes.ts';

const scope = '@authorization-server-aws';

/** A registry of npm on loopback that has the packages of this project. */
export interface LocalRegistry {
  readonly url: string;
  /** The environment of an npm that knows the registry. */
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/**
 * What a new shell has: nothing of the npm that started this process. With `omit=dev`, npm also
 * sets NODE_ENV, so that an npm below it would omit the development dependencies of its project.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|INIT_CWD$|NODE_COMPILE_CACHE$|NODE_ENV$)/.test(name),
    ),
  );
}

/** A setting of npm. */
export async function readNpmSetting(key: string): Promise<string> {
  const onlyEnvironment = cleanEnvironment();
  return (await runOrThrow(['npm', 'config', 'get', key], { onlyEnvironment })).trim();
}

/** The settings of npm's user, and where the packages of the scope are. */
async function writeUserConfig(path: string, registry: string): Promise<void> {
  const own = await readNpmSetting('userconfig');
  const kept = existsSync(own) ? readFileSync(own, 'utf8') : '';
  const lines = [
    kept,
    `registry=${await readNpmSetting('registry')}`,
    `${scope}:registry=${registry}`,
    // npm publishes only with a token. The registry does not look at it.
    `${registry.replace('http:', '')}:_authToken=none`,
    // A registry that does not answer is a test, and npm would wait for a minute.
    'fetch-retries=0',
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** @param work a folder of this run. */
export async function startLocalRegistry(
  work: string,
): Promise<LocalRegistry | { readonly missing: string }> {
  const program = await nodeRuntime(join(import.meta.dirname, 'registry'), 'release')('start', {
    caPath: '',
    directory: work,
  });
  if ('missing' in program) return program;
  const storage = join(work, 'registry');
  mkdirSync(storage);
  const running = new OutputProcess([...program.command, storage], { env: cleanEnvironment() });
  const port = await running.waitFor('its port', () => running.lines.find((l) => /^\d+$/.test(l)));
  const url = `http://127.0.0.1:${port}/`;
  const userConfig = join(work, 'npmrc');
  await writeUserConfig(userConfig, url);
  const cache = cacheFolder('release', 'npm');
  // npm create would take the version of the last run from there.
  rmSync(join(cache, '_npx'), { recursive: true, force: true });
  return {
    url,
    environment: {
      ...cleanEnvironment(),
      NPM_CONFIG_USERCONFIG: userConfig,
      NPM_CONFIG_CACHE: cache,
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
      // npm asks before it downloads the package of npm create; without a terminal it refuses.
      NPM_CONFIG_YES: 'true',
    },
    stop: async () => {
      await running.stop();
    },
  };
}
