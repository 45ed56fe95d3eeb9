import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { forwardAuthBuildOptions } from '../../../../lab/build/packages.ts';
import { startForwardAuthProcess } from '../../../../lab/support/forward-auth-process.ts';
import { runCommand } from '../../../../lab/support/run-command.ts';
import { readOptions } from '../../../../verifier/forward-auth/options.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { useLocalService } from '../../lab/local/use-local-service.ts';
import { optionsFor } from './use-forward-auth.ts';

const root = resolve(import.meta.dirname, '../../../..');
const dockerfile = readFileSync(join(root, 'examples/forward-auth/Dockerfile'), 'utf8');
const service = useLocalService();

/** The file system that the Dockerfile's COPY lines make, with a bundle built now. */
function copyAsDockerfile(): string {
  const folder = temporaryDirectory();
  buildSync({ ...forwardAuthBuildOptions, outdir: join(folder, 'built') });
  for (const [, from = '', to = ''] of dockerfile.matchAll(/^COPY (\S+) (\S+)$/gm)) {
    const target = join(folder, to);
    mkdirSync(dirname(target), { recursive: true });
    const isBundle = from.endsWith('dist/forward-auth.js');
    cpSync(isBundle ? join(folder, 'built/forward-auth.js') : join(root, from), target);
  }
  return folder;
}

interface Container {
  readonly args: readonly string[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly startupProbe: { readonly exec: { readonly command: readonly string[] } };
}

const deployment = parse(
  readFileSync(join(root, 'examples/forward-auth/kubernetes.yaml'), 'utf8'),
) as {
  readonly spec: {
    readonly template: { readonly spec: { readonly initContainers: readonly [Container] } };
  };
};

describe('the Dockerfile', () => {
  it('has everything that the command needs, and it runs as any user', async () => {
    const entry = /^ENTRYPOINT (\[.+\])$/m.exec(dockerfile)?.[1] ?? '[]';
    const [node, ...args] = JSON.parse(entry) as readonly string[];
    expect(node).toBe('node');
    const program = [...args.slice(0, -1), join(copyAsDockerfile(), args.at(-1) ?? '')];
    expect(execFileSync(process.execPath, [...program, '--version'], { encoding: 'utf8' })).toBe(
      `${(JSON.parse(readFileSync(join(root, 'verifier/package.json'), 'utf8')) as { version: string }).version}\n`,
    );
    const running = await startForwardAuthProcess({
      command: [process.execPath, ...program],
      args: [...optionsFor(service()), '--own-tokens-only'],
      environment: {},
    });
    onTestFinished(() => void running.child.kill('SIGKILL'));
    const [, flag = '', script = ''] = JSON.parse(
      /CMD (\[.+\])$/m.exec(dockerfile)?.[1] ?? '[]',
    ) as readonly string[];
    const probe = (address: string) =>
      runCommand([process.execPath, flag, script.replace('http://127.0.0.1:9100', address)], {
        timeout: 60_000,
      });
    expect((await probe(running.address)).code).toBe(0);
    expect((await probe('http://127.0.0.1:1')).code).toBe(1);
  });

  it('runs without root', () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(dockerfile).not.toMatch(/^(?:RUN|ADD) /m);
  });
});

describe('the Kubernetes example', () => {
  const [sidecar] = deployment.spec.template.spec.initContainers;

  it('starts the check with options that it takes, on loopback', () => {
    expect(readOptions(sidecar.args, {})).toMatchObject({
      listen: { host: '127.0.0.1', port: 9100, isBeyondLoopback: false },
      clientAddressHeader: 'x-real-ip',
    });
  });

  it('gives it no root, no privileges and nothing to write to', () => {
    expect(sidecar.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('probes as the Dockerfile does', () => {
    const script = sidecar.startupProbe.exec.command.at(-1) ?? '';
    expect(dockerfile).toContain(JSON.stringify(script));
  });
});
