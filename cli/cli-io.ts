import type { Readable, Writable } from 'node:stream';
import { readBytes } from '../core/read-bytes.ts';

/** Input and output of a run of the command line. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Longer than any credential that a command reads. */
const maxInputBytes = 64 * 1024;

/**
 * Reads one value from standard input, without the line feed that `echo` adds.
 *
 * @returns undefined if it is too long to be one.
 */
export async function readStdin(io: CliIo, most = maxInputBytes): Promise<string | undefined> {
  const bytes = await readBytes(io.stdin, most);
  return bytes?.toString('utf8').replace(/\r?\n$/, '');
}
