import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Command } from 'commander';
import { parse } from 'yaml';
import { runOrThrow } from '../support/run-command.ts';
import { sayProgress } from '../support/visible-wait.ts';
import { root } from './packages.ts';
import { archiveOf, stagePackages } from './stage.ts';

/** Checksums of the archives, as `sha256sum --check` reads them. */
export const checksumFile = 'SHA256SUMS';
/** Every package of the lockfile: what is bundled, installed with the packages, or builds them. */
const materialsFile = 'sbom.cdx.json';

/** The description of the API, for generators that do not read YAML, or not its aliases. */
export function writeOpenapiJson(target: string): string {
  const path = join(target, 'openapi.json');
  const document: unknown = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'));
  writeFileSync(path, `${JSON.stringify(document, undefined, 2)}\n`);
  return path;
}

async function writeBillOfMaterials(target: string): Promise<string> {
  const options = ['--include=dev', '--package-lock-only', '--sbom-type=application'];
  const path = join(target, materialsFile);
  const text = await runOrThrow(['npm', 'sbom', ...options, '--sbom-format=cyclonedx'], {
    cwd: root,
  });
  writeFileSync(path, text);
  return path;
}

function checksum(path: string): string {
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
  return `${digest}  ${basename(path)}\n`;
}

/**
 * Writes what a release is, of what `npm run build` made: an archive of each package, a CycloneDX
 * bill of materials, the description of the API as JSON, and the checksums of the archives. Archives of one commit have the same bytes.
 * Prints the path of each file when it is there.
 */
async function writeRelease(target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  const end = sayProgress(`Making the archives in ${target}`, '20 to 120 seconds');
  using staged = mkdtempDisposableSync(join(tmpdir(), 'packages-'));
  const archives: string[] = [];
  for (const { manifest, folder } of await stagePackages(staged.path)) {
    await runOrThrow(['npm', 'pack', '--silent', '--pack-destination', target], { cwd: folder });
    const archive = join(target, archiveOf(manifest));
    process.stdout.write(`${archive}\n`);
    archives.push(archive);
  }
  writeFileSync(join(target, checksumFile), archives.map(checksum).join(''));
  process.stdout.write(`${await writeBillOfMaterials(target)}\n${writeOpenapiJson(target)}\n`);
  end();
}

if (import.meta.main) {
  const content = `an archive of each package, ${checksumFile}, ${materialsFile} and openapi.json`;
  const [folder = ''] = new Command('npm run packages --')
    .argument('<folder>', `gets ${content}`)
    .parse().args;
  await writeRelease(resolve(folder));
}
