import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '../../lab/emulator/loopback-server.ts';
import type { ProxyName } from '../../lab/suites/proxies/find-proxies.ts';
import { OutputProcess } from '../../lab/support/output-process.ts';
import { answers, waitUntil } from '../../lab/support/wait-until.ts';

const examples = resolve(import.meta.dirname, '../../examples/proxies');

/** The ports that the configurations are written with, by what listens there. */
const writtenPorts = { api: 8000, service: 9000, check: 9100 } as const;

type Ports = Readonly<Record<keyof typeof writtenPorts, number>>;

/** A proxy of this machine, by its program. */
export interface ProxyProgram {
  readonly path: string;
  readonly libraries?: string;
}

/** How each is started in a folder that has its configuration. */
const commands: Readonly<Record<ProxyName, (folder: string) => readonly string[]>> = {
  nginx: (folder) => ['-p', folder, '-c', 'nginx.conf'],
  envoy: () => ['-c', 'envoy.yaml', '--concurrency', '2', '--use-dynamic-base-id', '-l', 'warning'],
  caddy: () => ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
  traefik: () => ['--configFile=traefik.yaml'],
  haproxy: () => ['-db', '-f', 'haproxy.cfg'],
};

/** What nginx.conf of Debian's package and of the container has, without its folders and its user. */
const nginxMain = `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 2; pid nginx.pid; error_log stderr warn;
events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  include conf.d/*.conf;
}
`;

/** The example's own files, with nothing changed but the ports. */
function prepareFolder(name: ProxyName, ports: Ports): string {
  const folder = mkdtempSync(join(tmpdir(), `proxy-${name}-`));
  cpSync(join(examples, name), folder, { recursive: true });
  const replaced = new Set<number>();
  for (const file of readdirSync(folder).map((each) => join(folder, each))) {
    let text = readFileSync(file, 'utf8');
    for (const [key, written] of Object.entries(writtenPorts)) {
      const port = new RegExp(`(: ?)${written}\\b`, 'g');
      text = text.replace(port, (_, before: string) => {
        replaced.add(written);
        return `${before}${ports[key as keyof Ports]}`;
      });
    }
    writeFileSync(file, text);
  }
  const left = Object.values(writtenPorts).filter((port) => !replaced.has(port));
  if (left.length > 0) throw new Error(`examples/proxies/${name} names no port ${left.join(', ')}`);
  if (name === 'nginx') {
    writeFileSync(join(folder, 'nginx.conf'), nginxMain);
    mkdirSync(join(folder, 'conf.d'));
    renameSync(join(folder, 'api.conf'), join(folder, 'conf.d/api.conf'));
  }
  return folder;
}

export interface RunningProxy {
  readonly address: string;
  /** What it wrote so far, for a test that fails. */
  output(): string;
  stop(): Promise<void>;
}

/** @param ports of the service, which must answer `/health`, and of the check. */
export async function startProxy(
  name: ProxyName,
  program: ProxyProgram,
  ports: Omit<Ports, 'api'>,
): Promise<RunningProxy> {
  const api = await findFreePort();
  const folder = prepareFolder(name, { ...ports, api });
  const [path, args] = [program.path, commands[name](folder)];
  const running = new OutputProcess([path, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      ...(program.libraries !== undefined && { LD_LIBRARY_PATH: program.libraries }),
    },
  });
  const output = () => running.output + running.errors;
  async function stop(): Promise<void> {
    const limit = setTimeout(() => running.child.kill('SIGKILL'), 3000);
    await running.stop();
    clearTimeout(limit);
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    const health = () => answers(`http://127.0.0.1:${api}/health`, ({ status }) => status === 200);
    await waitUntil('the proxy answers', health, { child: running.child, interval: 100 });
  } catch (error) {
    await stop();
    throw new Error(`the proxy did not start:\n${output()}`, { cause: error });
  }
  return { address: `http://127.0.0.1:${api}`, output, stop };
}
