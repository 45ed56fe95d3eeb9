import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { makePythonEnvironment } from '../../support/runtimes.ts';
import { unpackDebianPackages } from './debian-packages.ts';

export const proxyNames = ['nginx', 'envoy', 'caddy', 'traefik', 'haproxy'] as const;

export type ProxyName = (typeof proxyNames)[number];

/** A program that starts, or why there is none. */
export type FoundProxy =
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
