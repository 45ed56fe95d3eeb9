import { join, resolve } from 'node:path';
import { OutputProcess } from './output-process.ts';
import { programEnvironment } from './program-environment.ts';
import type { Command } from './run-command.ts';

const authctl = join(resolve(import.meta.dirname, '../..'), 'cli/authctl.ts');

export interface PortalStart {
  /** Left out: this Node and the sources. */
  readonly command?: Command;
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
export async function startPortalProcess({
  command = [process.execPath, authctl],
  args = [],
  environment,
}: PortalStart): Promise<PortalProcess> {
  const { HOME } = process.env;
  const running = new OutputProcess([...command, 'portal', '--json', ...args], {
    env: { ...programEnvironment(), HOME, ...environment },
  });
  const link = await running.waitFor('the link', () =>
    // The document ends with the brace of its first line.
    running.output.endsWith('}\n') ? (JSON.parse(running.output) as Link) : undefined,
  );
  return {
    ...link,
    output: () => running.output + running.errors,
    stop: async () => (await running.stop('SIGINT')).signal,
  };
}

/** A browser without a screen: it keeps the cookie and says where its forms come from. */
export interface PortalVisitor {
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, form: Readonly<Record<string, string>>) => Promise<Response>;
}

/** Opens the link. @throws {Error} if it does not sign in. */
export async function signIn({
  origin,
  address,
  url,
}: Pick<PortalProcess, 'origin' | 'address' | 'url'>): Promise<PortalVisitor> {
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
