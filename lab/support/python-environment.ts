import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hangLimit } from './hang-limit.ts';
import { runCommand } from './run-command.ts';

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/python');

/**
 * A Python virtual environment with these packages; kept, so that the next run has it at once.
 *
 * @returns its `bin` folder, or why there is none.
 */
export async function makePythonEnvironment(
  requirements: readonly string[],
): Promise<{ readonly bin: string } | { readonly missing: string }> {
  // A list of requirements counts by its content, so that a new version is a new environment.
  const wanted = requirements.map((each) => (existsSync(each) ? readFileSync(each, 'utf8') : each));
  const name = createHash('sha256').update(wanted.join('\n')).digest('hex').slice(0, 16);
  const path = join(cache, name);
  const bin = join(path, 'bin');
  const ready = join(path, 'ready');
  if (existsSync(ready)) return { bin };
  rmSync(path, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const limit = { timeout: hangLimit };
  const made = await runCommand(['python3', '-m', 'venv', path], limit);
  if (made.code !== 0) return { missing: 'python3 with venv' };
  const pip = join(bin, 'pip');
  const installed = await runCommand([pip, 'install', '--quiet', ...requirements], limit);
  if (installed.code !== 0) return { missing: `${requirements.join(', ')} from PyPI` };
  // A folder that an interrupted installation left has no such entry.
  mkdirSync(join(path, 'making'));
  renameSync(join(path, 'making'), ready);
  return { bin };
}
