import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { runOrThrow } from '../../support/run-command.ts';
import { createTokenPost, type TokenPost } from '../load/token-load.ts';

/** A server that issues tokens, as the benchmark of peers sees it. */
export interface RunningPeer {
  readonly pid: number;
  readonly post: TokenPost;
  readonly close: () => Promise<void>;
}

export interface InstalledPeer {
  /** Of all that was installed for it, in bytes. The Java runtime is not included. */
  readonly bytes: number;
  start(): Promise<RunningPeer>;
}

export interface Peer {
  readonly name: string;
  readonly version: string;
  /** What differs from its defaults, for the table. */
  readonly settings: string;
  /** Whose RS256 signature is in its CPU time. */
  readonly signs: 'node' | 'java' | 'go';
  /**
   * @param folder an empty one, for this peer.
   * @throws {Error} if it cannot be had here: the peer is skipped, and the table says why.
   */
  install(folder: string): Promise<InstalledPeer>;
}

export const peerClient = {
  clientId: 'bench',
  clientSecret: 'bench-secret',
  scope: 'messaging:view',
} as const;

/** Bytes of a file or a folder. */
export async function sizeOf(path: string): Promise<number> {
  return Number((await runOrThrow(['du', '-sb', path])).split('\t')[0]);
}

/** Starts a server whose output no one reads. */
export function startPeerProcess(
  command: string,
  args: readonly string[],
  directory: string,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess & { readonly pid: number } {
  const env = { PATH: process.env['PATH'], HOME: directory, ...variables };
  const child = spawn(command, [...args], { cwd: directory, env, stdio: 'ignore' });
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return child as ChildProcess & { readonly pid: number };
}

/** A process that was started, at which a client gets tokens at a port. */
export function toRunningPeer(
  child: ReturnType<typeof startPeerProcess>,
  at: Pick<TokenPost, 'port' | 'path'>,
  client: Readonly<Record<'clientId' | 'clientSecret', string>> = peerClient,
): RunningPeer {
  return {
    pid: child.pid,
    post: createTokenPost(at, client.clientId, client.clientSecret),
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
