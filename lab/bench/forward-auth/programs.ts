import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { forwardAuthBuildOptions } from '../../build/packages.ts';

const root = resolve(import.meta.dirname, '../../..');

/** How Node starts forward-auth in a container: the Dockerfile's entry point without the file. */
function readContainerCommand(): readonly [string, ...string[]] {
  const dockerfile = readFileSync(join(root, 'examples/forward-auth/Dockerfile'), 'utf8');
  const text = /^ENTRYPOINT (\[.+\])$/m.exec(dockerfile)?.[1] ?? '[]';
  const [, ...args] = JSON.parse(text) as readonly string[];
  return [process.execPath, ...args.slice(0, -1)];
}

/** Commands of the programs that are measured, both as one file and with the same heap. */
export interface Programs {
  readonly forwardAuth: readonly [string, ...string[]];
  readonly reference: readonly [string, ...string[]];
}

/** Builds the programs of the sources as they are, for as long as they are used. */
export async function withPrograms<T>(use: (programs: Programs) => Promise<T>): Promise<T> {
  const outdir = mkdtempSync(join(tmpdir(), 'bench-forward-auth-'));
  try {
    const outExtension = { '.js': '.mjs' };
    buildSync({ ...forwardAuthBuildOptions, outdir, outExtension });
    const entryPoints = { reference: join(import.meta.dirname, 'reference-server.ts') };
    buildSync({ ...forwardAuthBuildOptions, entryPoints, outdir, outExtension });
    const node = readContainerCommand();
    return await use({
      forwardAuth: [...node, join(outdir, 'forward-auth.mjs')],
      reference: [...node, join(outdir, 'reference.mjs')],
    });
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
