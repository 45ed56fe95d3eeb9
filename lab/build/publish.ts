import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CommandOptions, runCommand, runOrThrow } from '../support/run-command.ts';

/*
 * `node lab/build/publish.ts FOLDER` publishes the archives that `npm run packages` made, and
 * builds nothing: the job that may publish runs no other package's code. A second run goes on
 * where the first one ended.
 */

/** What npm knows a published archive by (https://www.w3.org/TR/SRI). */
function integrityOf(archive: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
}

/** Name and version of an archive, as `name@version`. */
async function readSpec(archive: string): Promise<string> {
  const text = await runOrThrow(['tar', '-xzOf', archive, 'package/package.json']);
  const { name, version } = JSON.parse(text) as { readonly name: string; readonly version: string };
  return `${name}@${version}`;
}

/** @returns undefined if the registry does not have the version. */
async function findPublished(spec: string, options: CommandOptions): Promise<string | undefined> {
  const { code, stdout, output } = await runCommand(
    ['npm', 'view', spec, 'dist.integrity', '--json', '--prefer-online'],
    options,
  );
  if (code === 0) return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as string);
  if (output.includes('E404')) return undefined;
  throw new Error(`npm view ${spec} failed:\n${output}`);
}

/**
 * Publishes each archive of a folder that the registry does not have.
 *
 * @param flags of `npm publish`.
 * @returns a line for each archive.
 * @throws {Error} if the registry has a version with other bytes. What is published before stays.
 */
export async function publishArchives(
  folder: string,
  flags: readonly string[],
  options: CommandOptions = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.tgz'))) {
    const archive = resolve(join(folder, name));
    const spec = await readSpec(archive);
    const [built, published] = [integrityOf(archive), await findPublished(spec, options)];
    if (published !== undefined && published !== built) {
      throw new Error(`${spec}: the registry has ${published}; the archive is ${built}`);
    }
    if (published === undefined) {
      await runOrThrow(['npm', 'publish', archive, '--access', 'public', ...flags], options);
    }
    lines.push(`${spec}: ${published === undefined ? 'published' : 'is published already'}`);
  }
  return lines;
}

if (import.meta.main) {
  const [folder, ...flags] = process.argv.slice(2);
  if (folder === undefined) {
    process.stderr.write('allowed: node lab/build/publish.ts FOLDER [flags of npm publish]\n');
    process.exitCode = 2;
  } else {
    for (const line of await publishArchives(folder, flags)) process.stdout.write(`${line}\n`);
  }
}
