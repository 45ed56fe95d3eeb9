import { join } from 'node:path';
import { type Command, missingTool, runCommand } from '../../support/run-command.ts';
import {
  goRuntime,
  javaRuntime,
  type Missing,
  pythonRuntime,
  type Runtime,
} from '../../support/runtimes.ts';
import { buildSpringBoot, type SpringBoot } from '../../support/spring-boot.ts';
import { fetchRuntime, nextRuntime } from './fetch-api.ts';

const folder = join(import.meta.dirname, '../../../examples');

export interface Example {
  readonly name: string;
  readonly kind: 'get-token' | 'verify-token' | 'protect-api';
  /** Whether `npm test` runs it: its runtime is there wherever this project is. */
  readonly inNpmTest: boolean;
  /** It verifies nothing itself, and asks a forward-auth next to it. */
  readonly asksForwardAuth?: true;
  /** @returns a command that is ready to run. */
  readonly prepare: (
    trust: Parameters<Runtime>[1],
  ) => Promise<{ readonly command: Command } | Missing>;
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

const python = pythonRuntime(join(folder, 'python'));
/** APIs that ask forward-auth. */
export const pythonApi = pythonRuntime(join(folder, 'python-api'));
const go = goRuntime(join(folder, 'go'), 'examples');
const java = javaRuntime(join(folder, 'java'), 'examples');
const curl: Runtime = async (name) => {
  const found = await runCommand(['curl', '--version']);
  if (found.code !== 0) return { missing: missingTool('curl', found) };
  return { command: ['sh', join(folder, 'curl', `${name}.sh`)] };
};

/** @param program what its language calls the program. */
function example(
  kind: Example['kind'],
  library: string,
  runtime: Runtime,
  program: string,
): Example {
  return {
    name: `${kind}: ${library}`,
    kind,
    inNpmTest: false,
    prepare: (trust) => runtime(program, trust),
  };
}

const springBoot =
  (boot: SpringBoot): Runtime =>
  (_, trust) =>
    buildSpringBoot(boot, trust);

export const examples: readonly Example[] = [
  example('get-token', 'curl', curl, 'get-token'),
  node('get-token', 'fetch'),
  node('get-token', 'openid-client'),
  example('get-token', 'Python, Authlib', python, 'get_token'),
  example('get-token', 'Go, oauth2/clientcredentials', go, 'get-token'),
  example('get-token', 'Java, Nimbus', java, 'GetToken'),
  node('verify-token', 'jose'),
  node('verify-token', 'aws-jwt-verify'),
  example('verify-token', 'Python, PyJWT', python, 'verify_token'),
  example('verify-token', 'Go, go-oidc', go, 'verify-token'),
  example('verify-token', 'Java, Nimbus', java, 'VerifyToken'),
  ...(['fastapi', 'flask'] as const).map((name) => ({
    ...example('protect-api', `Python, ${name}`, pythonApi, `${name}_api`),
    asksForwardAuth: true as const,
  })),
  example('protect-api', 'Bun, the verifier', fetchRuntime, 'bun'),
  example('protect-api', 'Deno, the verifier', fetchRuntime, 'deno'),
  example('protect-api', 'Next.js, the verifier', nextRuntime, ''),
  example('protect-api', 'Java, Spring Boot 3', springBoot('boot-3'), ''),
  example('protect-api', 'Java, Spring Boot 4', springBoot('boot-4'), ''),
];
