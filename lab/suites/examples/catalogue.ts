import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, missingTool, runCommand, runOrThrow } from '../../support/run-command.ts';
import {
  goRuntime,
  javaRuntime,
  type Missing,
  pythonRuntime,
  type Runtime,
  type Trust,
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
  readonly prepare: (trust: Trust) => Promise<{ readonly command: Command } | Missing>;
  /** Its token cache, in a program of the folder callers. */
  readonly prepareCallers?: (trust: Trust) => Promise<Command>;
}

const callers = join(import.meta.dirname, 'callers');

function node(kind: Example['kind'], library: string): Example {
  const file = join(folder, `typescript/${kind}-${library}.ts`);
  return {
    name: `${kind}: TypeScript, ${library}`,
    kind,
    inNpmTest: true,
    prepare: async () => ({ command: [process.execPath, file] }),
    ...(kind === 'get-token' && {
      prepareCallers: async () => [process.execPath, join(callers, 'callers.js'), file],
    }),
  };
}

const python = pythonRuntime(join(folder, 'python'));
/** APIs that ask forward-auth. */
export const pythonApi = pythonRuntime(join(folder, 'python-api'));
const go = goRuntime(join(folder, 'go'), 'examples');
const java = javaRuntime(join(folder, 'java'), 'examples');

/** Programs that take tokens of Cognito, too; `npm test` has the one of Node. */
export const otherBothIssuers = [
  ['Python', python, 'verify_token_both_issuers'],
  ['Java', java, 'VerifyTokenBothIssuers'],
] as const;
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

/** What the examples of these languages export is private to their programs. */
function withCallers(
  example: Example,
  commandOf: (command: Command, trust: Trust) => Command | Promise<Command>,
): Example {
  const prepareCallers = async (trust: Trust) => {
    const prepared = await example.prepare(trust);
    if ('missing' in prepared) throw new Error(`there is no ${prepared.missing}`);
    return commandOf(prepared.command, trust);
  };
  return { ...example, prepareCallers };
}

const shellCallers = ([shell, ...rest]: Command, { directory }: Trust): Command => [
  shell,
  join(callers, 'callers.sh'),
  ...rest,
  directory,
];

const pythonCallers = ([interpreter, ...rest]: Command): Command => [
  interpreter,
  join(callers, 'callers.py'),
  ...rest,
];

/** The class path of the example, and a source in place of its class. */
const javaCallers = ([java, ...rest]: Command): Command => [
  java,
  ...rest.slice(0, -1),
  join(callers, 'Callers.java'),
];

/** The example's module with another `main`. */
async function goCallers(_: Command, { directory }: Trust): Promise<Command> {
  const module = join(folder, 'go');
  const program = join(module, 'get-token');
  const example = join(directory, 'main.go');
  const text = readFileSync(join(program, 'main.go'), 'utf8');
  writeFileSync(example, text.replace('func main()', 'func example()'));
  const overlay = join(directory, 'overlay.json');
  const Replace = {
    [join(program, 'main.go')]: example,
    [join(program, 'callers.go')]: join(callers, 'callers.go'),
  };
  writeFileSync(overlay, JSON.stringify({ Replace }));
  const built = join(directory, 'callers');
  await runOrThrow(['go', 'build', '-overlay', overlay, '-o', built, './get-token'], {
    cwd: module,
  });
  return [built];
}

const springBoot =
  (boot: SpringBoot): Runtime =>
  (_, trust) =>
    buildSpringBoot(boot, trust);

export const examples: readonly Example[] = [
  withCallers(example('get-token', 'curl', curl, 'get-token'), shellCallers),
  node('get-token', 'fetch'),
  node('get-token', 'openid-client'),
  withCallers(
    example('get-token', 'Python, requests', python, 'get_token_requests'),
    pythonCallers,
  ),
  withCallers(example('get-token', 'Python, Authlib', python, 'get_token'), pythonCallers),
  withCallers(example('get-token', 'Go, oauth2/clientcredentials', go, 'get-token'), goCallers),
  withCallers(example('get-token', 'Java, Nimbus', java, 'GetToken'), javaCallers),
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
