import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from './run-command.ts';

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/node');

async function answersWith(path: string, version: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const { output } = await runCommand([path, '--version']);
  return output.trim() === `v${version}`;
}

/**
 * Installs one version of Node from npm's package `node`. It is kept for the next run.
 *
 * @returns the path of its binary, or what is missing.
 */
export async function installNode(
  version: string,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const folder = join(cache, version);
  const path = join(folder, 'node_modules/node/bin/node');
  if (await answersWith(path, version)) return { path };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The package's install script puts the binary of this platform in its place.
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const scripts = ['--ignore-scripts=false', '--strict-allow-scripts'] as const;
  const install = ['npm', 'install', '--no-audit', '--no-fund', ...scripts] as const;
  const { output } = await runCommand(install, { cwd: folder });
  if (await answersWith(path, version)) return { path };
  return { missing: `the package node@${version} cannot be installed with npm:\n${output}` };
}
