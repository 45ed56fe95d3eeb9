import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, missingTool, runCommand } from '../../support/run-command.ts';
import type { Missing, Runtime, Trust } from '../../support/runtimes.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Packages of npm, November 2026. The runtimes are binaries in packages of one platform each. */
const versions = { bun: '1.4.5', deno: '2.9.6', next: '16.4.6' } as const;
const platform = `${process.platform}-${process.arch}`;
const binaries = {
  bun: `@oven/bun-${platform.replace('arm64', 'aarch64')}`,
  deno: `@deno/${platform}${process.platform === 'linux' ? '-glibc' : ''}`,
} as const;

/**
 * A project with the example, the verifier as it is published, and these packages. No script of a
 * package runs. It stands outside of node_modules, in which Next.js takes no project.
 */
async function makeProject(
  { directory }: Trust,
  dependencies: Readonly<Record<string, string>>,
  parts: readonly string[],
): Promise<{ readonly project: string } | Missing> {
  const project = mkdtempSync(join(directory, 'fetch-api-'));
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  const install = ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts'] as const;
  const result = await runCommand(install, { cwd: project });
  if (result.code !== 0) return { missing: missingTool('npm install', result) };
  for (const part of parts) {
    cpSync(join(root, 'examples/fetch-api', part), join(project, part), { recursive: true });
  }
  const verifier = join(project, 'node_modules/@authorization-server-aws/verifier');
  for (const part of ['package.json', 'dist']) {
    cpSync(join(root, 'verifier', part), join(verifier, part), { recursive: true });
  }
  return { project };
}

/** Bun or Deno, which run the example as it is. */
export const fetchRuntime: Runtime = async (name, trust) => {
  const runtime = name as keyof typeof binaries;
  const made = await makeProject(trust, { [binaries[runtime]]: versions[runtime] }, [
    'app',
    `${runtime}.ts`,
  ]);
  if ('missing' in made) return made;
  const folder = join(made.project, 'node_modules', binaries[runtime]);
  const program = join(made.project, `${runtime}.ts`);
  const command: Record<typeof runtime, Command> = {
    bun: [join(folder, 'bin/bun'), program],
    deno: [join(folder, 'deno'), 'run', '--allow-all', program],
  };
  return { command: command[runtime] };
};

/** `next build` without AWS_REGION, then the server that was built. */
export const nextRuntime: Runtime = async (_, trust) => {
  const packages = {
    next: versions.next,
    react: '19.3.1',
    'react-dom': '19.3.1',
    typescript: '5.9.3',
    '@types/node': '24.0.0',
    '@types/react': '19.2.0',
  };
  const made = await makeProject(trust, packages, ['app']);
  if ('missing' in made) return made;
  const { project: cwd } = made;
  const next = [process.execPath, join(cwd, 'node_modules/next/dist/bin/next')] as const;
  const environment = { NEXT_TELEMETRY_DISABLED: '1', AWS_REGION: '', AWS_DEFAULT_REGION: '' };
  const built = await runCommand([...next, 'build'], { cwd, environment });
  if (built.code !== 0) throw new Error(`next build failed:\n${built.output}`);
  return { command: [...next, 'start', cwd, '-H', '127.0.0.1', '-p', '0'] };
};
