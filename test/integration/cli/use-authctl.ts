import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { afterAll } from 'vitest';
import type { CliIo } from '../../../cli/cli-io.ts';
import { runAuthctl } from '../../../cli/run-authctl.ts';
import type { LocalOptions, LocalRun } from '../../../lab/local/start-local.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CliInput {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether stdin and both outputs are a terminal. */
  readonly isTerminal?: boolean;
  /** Of the terminal. */
  readonly columns?: number;
  readonly cwd?: string;
}

function collector(isTTY: boolean): { readonly stream: Writable; readonly text: () => string } {
  let written = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString('utf8');
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => written };
}

function input(text: string, isTTY: boolean): Readable {
  const stream = new PassThrough();
  stream.end(text);
  return Object.assign(stream, { isTTY });
}

/** Runs one command line in this process, with its own streams. */
export async function runCli(args: readonly string[], options: CliInput = {}): Promise<CliRun> {
  const { stdin = '', env = {}, isTerminal = false, columns, cwd = '/' } = options;
  const stdout = collector(isTerminal);
  const stderr = collector(isTerminal);
  const io: CliIo = {
    stdin: input(stdin, isTerminal),
    stdout: columns === undefined ? stdout.stream : Object.assign(stdout.stream, { columns }),
    stderr: stderr.stream,
    env,
    cwd,
  };
  const exitCode = await runAuthctl(args, io);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** A command line, as one text if no word of it has a blank. */
type Words = string | readonly string[];

const wordsOf = (line: Words) => (typeof line === 'string' ? line.split(' ') : line);

export interface LocalCli {
  readonly service: () => LocalRun;
  /** `authctl --local`. */
  readonly authctl: (line: Words, input?: CliInput) => Promise<CliRun>;
  /** The same with `--json`; what was printed, parsed. Fails unless the exit code is 0. */
  readonly json: (line: Words, input?: CliInput) => Promise<Record<string, unknown>>;
  /** Status and body of a token request with these credentials. */
  readonly requestToken: (
    clientId: string,
    secret: string,
    parameters?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
}

/** The local run, and `authctl` in a folder where it finds it. */
export function useLocalCli(options: Partial<LocalOptions> = {}): LocalCli {
  const folder = makeTemporaryDirectory();
  afterAll(() => folder.remove());
  mkdirSync(join(folder.path, '.local'));
  const service = useLocalService({ stateDirectory: join(folder.path, '.local'), ...options });
  const authctl = (line: Words, more: CliInput = {}) =>
    runCli([...wordsOf(line), '--local'], { cwd: folder.path, ...more });
  return {
    service,
    authctl,
    json: async (line, more) => {
      const run = await authctl([...wordsOf(line), '--json'], more);
      if (run.exitCode !== 0) throw new Error(`exit code ${run.exitCode}: ${run.stderr}`);
      return JSON.parse(run.stdout) as Record<string, unknown>;
    },
    requestToken: async (clientId, secret, parameters = {}) => {
      const response = await fetch(service().tokenUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}
