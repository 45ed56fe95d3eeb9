import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const authctl = join(resolve(import.meta.dirname, '../..'), 'cli/authctl.ts');

export interface PortalStart {
  /** Left out: this Node and the sources. */
  readonly command?: readonly [string, ...string[]];
  /** What follows `portal --json`. */
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** `authctl portal`, running. */
export interface PortalProcess {
  readonly origin: string;
  /** The first page, without a slash at its end. */
  readonly address: string;
  /** The link that signs in, once. */
  readonly url: string;
  /** Who the portal says the person is. */
  readonly person: string;
  /** Everything that it has written, to both outputs. */
  readonly output: () => string;
  /** Ends it as Ctrl-C does. @returns the signal that ended it. */
  readonly stop: () => Promise<NodeJS.Signals | null>;
}

type Link = Pick<PortalProcess, 'origin' | 'address' | 'url' | 'person'>;

/** Starts the command and waits for its link. */
export async function startPortalProcess(start: PortalStart): Promise<PortalProcess> {
  const [program, ...first] = start.command ?? [process.execPath, authctl];
  const child = spawn(program, [...first, 'portal', '--json', ...(start.args ?? [])], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...start.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8');
  const link = await new Promise<Link>((found, fail) => {
    child.stdout.on('data', (text: string) => {
      stdout += text;
      // The document ends with the brace of its first line.
      if (stdout.endsWith('}\n')) found(JSON.parse(stdout) as Link);
    });
    child.on('exit', (code) => fail(new Error(`authctl portal ended with ${code}: ${stderr}`)));
  });
  return {
    ...link,
    output: () => stdout + stderr,
    stop: async () => {
      child.kill('SIGINT');
      const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
      return signal;
    },
  };
}

/** A browser without a screen: it keeps the cookie and says where its forms come from. */
export interface PortalVisitor {
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, form: Readonly<Record<string, string>>) => Promise<Response>;
}

/** Opens the link. @throws {Error} if it does not sign in. */
export async function signIn({ origin, address, url }: PortalProcess): Promise<PortalVisitor> {
  const entered = await fetch(url, { redirect: 'manual' });
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
  if (entered.status !== 303 || cookie === '') throw new Error(`the link: ${entered.status}`);
  const headers = { cookie, origin, 'sec-fetch-site': 'same-origin' };
  return {
    get: (path) => fetch(address + path, { headers, redirect: 'manual' }),
    post: (path, form) =>
      fetch(address + path, {
        method: 'POST',
        headers,
        body: new URLSearchParams(form),
        redirect: 'manual',
      }),
  };
}
