import { join } from 'node:path';
import { hangLimit } from '../support/hang-limit.ts';
import { makePythonEnvironment } from '../support/python-environment.ts';
import { type CommandResult, runCommand } from '../support/run-command.ts';
import type { World } from './world.ts';

const folder = join(import.meta.dirname, '../../examples');

export type Command = readonly [string, ...string[]];

/** A command that is ready to run, or the runtime that is not on this machine. */
export type Prepared = { readonly command: Command } | { readonly missing: string };

export interface Example {
  readonly name: string;
  readonly kind: 'get-token' | 'verify-token';
  /** Whether `npm test` runs it: its runtime is there wherever this project is. */
  readonly inNpmTest: boolean;
  prepare(world: World): Promise<Prepared>;
}

function node(kind: Example['kind'], library: string): Example {
  const file = join(folder, `typescript/${kind}-${library}.ts`);
  return {
    name: `${kind}: TypeScript, ${library}`,
    kind,
    inNpmTest: true,
    prepare: async () => ({ command: [process.execPath, file] }),
  };
}

const curl: Example = {
  name: 'get-token: curl',
  kind: 'get-token',
  inNpmTest: false,
  prepare: async () => {
    const { code } = await runCommand(['curl', '--version'], { timeout: hangLimit });
    return code === 0
      ? { command: ['sh', join(folder, 'curl/get-token.sh')] }
      : { missing: 'curl on the PATH' };
  },
};

function python(kind: Example['kind'], library: string, file: string): Example {
  return {
    name: `${kind}: Python, ${library}`,
    kind,
    inNpmTest: false,
    prepare: async () => {
      const requirements = ['-r', join(folder, 'python/requirements.txt')];
      const environment = await makePythonEnvironment(requirements);
      if ('missing' in environment) return environment;
      return { command: [join(environment.bin, 'python'), join(folder, 'python', file)] };
    },
  };
}

function why(what: string, { output }: CommandResult): string {
  return `${what} (${output.trim().split('\n').at(-1) ?? ''})`;
}

function go(kind: Example['kind'], library: string): Example {
  return {
    name: `${kind}: Go, ${library}`,
    kind,
    inNpmTest: false,
    prepare: async ({ service }) => {
      const binary = join(service.paths.directory, kind);
      const built = await runCommand(['go', 'build', '-o', binary, `./${kind}`], {
        cwd: join(folder, 'go'),
        timeout: hangLimit,
      });
      if (built.code === 0) return { command: [binary] };
      return { missing: why('Go and its modules', built) };
    },
  };
}

/** Java reads no file of certificates: it wants a trust store of its own kind. */
async function makeTrustStore({ service }: World, name: string): Promise<readonly string[]> {
  const store = join(service.paths.directory, `${name}.p12`);
  const password = 'changeit';
  const flags = ['-importcert', '-noprompt', '-alias', 'local', '-storepass', password];
  const files = ['-file', service.caPath ?? '', '-keystore', store];
  await runCommand(['keytool', ...flags, ...files], { timeout: hangLimit });
  const property = '-Djavax.net.ssl.trustStore';
  return [`${property}=${store}`, `${property}Password=${password}`];
}

function java(kind: Example['kind'], mainClass: string): Example {
  return {
    name: `${kind}: Java, Nimbus`,
    kind,
    inNpmTest: false,
    prepare: async (world) => {
      const cwd = join(folder, 'java');
      const target = join(world.service.paths.directory, 'java');
      const classpath = join(target, 'classpath');
      const goals = ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${classpath}`];
      const built = await runCommand(
        ['mvn', '--quiet', '--batch-mode', `-DbuildDirectory=${target}`, ...goals],
        { cwd, timeout: hangLimit },
      );
      if (built.code !== 0) return { missing: why('Maven and its packages', built) };
      const trust = await makeTrustStore(world, mainClass);
      const paths = [join(target, 'classes'), join(classpath, '*')].join(':');
      return { command: ['java', ...trust, '-cp', paths, mainClass] };
    },
  };
}

export const examples: readonly Example[] = [
  curl,
  node('get-token', 'fetch'),
  node('get-token', 'openid-client'),
  python('get-token', 'Authlib', 'get_token.py'),
  go('get-token', 'oauth2/clientcredentials'),
  java('get-token', 'GetToken'),
  node('verify-token', 'jose'),
  node('verify-token', 'aws-jwt-verify'),
  python('verify-token', 'PyJWT', 'verify_token.py'),
  go('verify-token', 'go-oidc'),
  java('verify-token', 'VerifyToken'),
];
