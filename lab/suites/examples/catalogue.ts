import { join } from 'node:path';
import { hangLimit } from '../../support/hang-limit.ts';
import { compileJava, makeTrustStore } from '../../support/java.ts';
import { missingTool } from '../../support/missing-tool.ts';
import { makePythonEnvironment } from '../../support/python-environment.ts';
import { runCommand } from '../../support/run-command.ts';
import { buildSpringBoot, type SpringBoot, springBootCommand } from '../../support/spring-boot.ts';
import type { World } from './world.ts';

const folder = join(import.meta.dirname, '../../../examples');

export type Command = readonly [string, ...string[]];

/** A command that is ready to run, or the runtime that is not on this machine. */
export type Prepared = { readonly command: Command } | { readonly missing: string };

export interface Example {
  readonly name: string;
  readonly kind: 'get-token' | 'verify-token' | 'protect-api';
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
      return { missing: missingTool('Go', built) };
    },
  };
}

function trustStore({ service }: World, name: string): Promise<readonly string[]> {
  return makeTrustStore(service.caPath ?? '', join(service.paths.directory, `${name}.p12`));
}

function java(kind: Example['kind'], mainClass: string): Example {
  return {
    name: `${kind}: Java, Nimbus`,
    kind,
    inNpmTest: false,
    prepare: async (world) => {
      const target = join(world.service.paths.directory, 'java');
      const built = await compileJava({ project: join(folder, 'java'), target });
      if ('missing' in built) return built;
      const trust = await trustStore(world, mainClass);
      return { command: ['java', ...trust, '-cp', built.classPath, mainClass] };
    },
  };
}

function springBoot(boot: SpringBoot, title: string): Example {
  return {
    name: `protect-api: Java, ${title}`,
    kind: 'protect-api',
    inNpmTest: false,
    prepare: async (world) => {
      const built = await buildSpringBoot(boot, join(world.service.paths.directory, boot));
      if ('missing' in built) return built;
      return { command: springBootCommand(built.jar, await trustStore(world, boot)) };
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
  springBoot('boot-3', 'Spring Boot 3'),
  springBoot('boot-4', 'Spring Boot 4'),
];
