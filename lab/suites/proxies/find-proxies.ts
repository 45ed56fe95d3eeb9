import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from '../../support/run-command.ts';
import { makePythonEnvironment } from '../../support/runtimes.ts';

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/debian');

/** What apt would install: the packages with all that they need and this machine lacks. */
async function resolvePackages(names: readonly string[]): Promise<readonly string[]> {
  const flags = ['--simulate', '--no-install-recommends'];
  const { output } = await runCommand(['apt-get', 'install', ...flags, ...names]);
  return [...output.matchAll(/^Inst (\S+) (?:\[[^\]]*\] )?\((\S+)/gm)].map(
    ([, name, version]) => `${name}=${version}`,
  );
}

/**
 * Unpacks Debian or Ubuntu packages into a folder of this project: nothing is installed on the
 * machine, no service starts, and it needs no root when the package lists are there.
 *
 * @returns the folder that stands for `/`, or why there is none.
 */
async function unpackDebianPackages(
  ...names: readonly string[]
): Promise<{ readonly root: string } | { readonly missing: string }> {
  const root = join(cache, names.join('-'));
  if (existsSync(root)) return { root };
  let packages = await resolvePackages(names);
  if (packages.length === 0) {
    // A fresh container has no package lists.
    await runCommand(['apt-get', 'update', '--quiet']);
    packages = await resolvePackages(names);
  }
  if (packages.length === 0) return { missing: `${names.join(', ')} from Debian's packages` };
  const making = `${root}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const fetched = await runCommand(['apt-get', 'download', ...packages], { cwd: making });
  if (fetched.code !== 0) return { missing: `${names.join(', ')} from Debian's packages` };
  for (const file of readdirSync(making).filter((name) => name.endsWith('.deb'))) {
    const { code, output } = await runCommand(['dpkg-deb', '--extract', file, '.'], {
      cwd: making,
    });
    if (code !== 0) return { missing: `${file}: ${output.trim()}` };
  }
  renameSync(making, root);
  return { root };
}

export const proxyNames = ['nginx', 'envoy', 'caddy', 'traefik', 'haproxy'] as const;

export type ProxyName = (typeof proxyNames)[number];

/** A program that starts, or why there is none. */
type FoundProxy =
  | { readonly path: string; readonly libraries?: string | undefined }
  | { readonly missing: string };

/** How each says its version, which shows that it starts at all. */
const versionFlag: Readonly<Record<ProxyName, string>> = {
  nginx: '-v',
  envoy: '--version',
  caddy: 'version',
  traefik: 'version',
  haproxy: '-v',
};

function starts(name: ProxyName, path: string, libraries?: string): boolean {
  const env = { ...process.env, ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }) };
  return spawnSync(path, [versionFlag[name]], { env }).status === 0;
}

/** NGINX and HAProxy: what the machine has, else Debian's packages. */
async function findOnSystem(name: 'nginx' | 'haproxy'): Promise<FoundProxy> {
  const installed = ['/usr/sbin', '/usr/local/sbin', '/usr/bin'].map((folder) =>
    join(folder, name),
  );
  const path = installed.find((candidate) => starts(name, candidate));
  if (path !== undefined) return { path };
  const unpacked = await unpackDebianPackages(name);
  if ('missing' in unpacked) return unpacked;
  const { root } = unpacked;
  const libraries = globSync('usr/lib/*-linux-*', { cwd: root })
    .map((folder) => join(root, folder))
    .join(':');
  const own = join(root, 'usr/sbin', name);
  if (starts(name, own, libraries)) return { path: own, libraries };
  return { missing: `${own} does not start` };
}

/** Envoy, Caddy and Traefik: wheels of a virtual environment that only this job has. */
async function findInWheels(): Promise<ReadonlyMap<ProxyName, FoundProxy>> {
  const names = ['envoy', 'caddy', 'traefik'] as const;
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const environment = await makePythonEnvironment(['--require-hashes', '-r', requirements]);
  if ('missing' in environment) return new Map(names.map((name) => [name, environment]));
  return new Map(
    names.map((name) => {
      const path = join(environment.bin, name);
      return [name, starts(name, path) ? { path } : { missing: `${path} does not start` }];
    }),
  );
}

/** Finds or fetches every proxy. What is not there says why. */
export async function findProxies(): Promise<ReadonlyMap<ProxyName, FoundProxy>> {
  return new Map<ProxyName, FoundProxy>([
    ['nginx', await findOnSystem('nginx')],
    ['haproxy', await findOnSystem('haproxy')],
    ...(await findInWheels()),
  ]);
}
