import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { toPrintable, toPrintableLine } from '../core/printable-text.ts';
import type { CliIo } from './cli-io.ts';
import { UsageError } from './usage-error.ts';

const escape = '\u001B';

/** A word that `styleText` made bold. */
const boldPattern = new RegExp(`(${escape}\\[1m[^${escape}]*${escape}\\[22m)`);

/** Clears a terminal and goes to its first line. */
const clearSequence = `${escape}[H${escape}[2J`;

/**
 * The only place that prints. No control character of a text reaches the terminal, except those of
 * words that {@link Terminal.bold} made.
 */
export class Terminal {
  readonly #io: CliIo;
  readonly #bold = new Set<string>();

  constructor(io: CliIo) {
    this.#io = io;
  }

  /** A word of this program in bold, if stdout is a terminal that shows colours (no-color.org). */
  bold(word: string): string {
    const { NO_COLOR: noColor, TERM: term } = this.#io.env;
    if (this.#io.stdout.isTTY !== true || (noColor ?? '') !== '' || term === 'dumb') return word;
    const styled = styleText('bold', word, { validateStream: false });
    this.#bold.add(styled);
    return styled;
  }

  /** Columns of stdout; undefined if it is not a terminal. */
  get width(): number | undefined {
    const { isTTY, columns } = this.#io.stdout;
    return isTTY === true ? columns : undefined;
  }

  /** Writes a result to stdout. */
  writeOut(text: string): void {
    this.#write(this.#io.stdout, text);
  }

  /** Writes to stderr. */
  writeError(text: string): void {
    this.#write(this.#io.stderr, text);
  }

  /** Writes to stderr, if that is a terminal. */
  writeProgress(text: string): void {
    if (this.#io.stderr.isTTY === true) this.writeError(text);
  }

  /** Clears the screen, if stdout is one. */
  clear(): void {
    if (this.#io.stdout.isTTY === true) this.#io.stdout.write(clearSequence);
  }

  #write(stream: Writable, text: string): void {
    const parts = text.split(boldPattern);
    stream.write(parts.map((part) => (this.#bold.has(part) ? part : toPrintable(part))).join(''));
  }
}

/** The person pressed Ctrl-C in place of an answer. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/**
 * Asks one question on a terminal.
 *
 * @returns the answer without surrounding blanks, or undefined when the input ends (Ctrl-D).
 * @throws {InterruptedError} after Ctrl-C.
 */
export async function askQuestion(
  input: Readable,
  output: Writable,
  question: string,
): Promise<string | undefined> {
  const prompt = createInterface({ input, output });
  // Without this listener, Node 24 rejects the question after Ctrl-C, and Node 22 never settles it.
  const interrupted = once(prompt, 'SIGINT').then(() => {
    throw new InterruptedError('interrupted');
  });
  const ended = once(prompt, 'close').then(() => undefined);
  // After Ctrl-D, Node 24 rejects it, and Node 22 never settles it.
  const reply = prompt.question(question).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
    return undefined;
  });
  try {
    const answer = await Promise.race([reply, ended, interrupted]);
    if (answer === undefined) output.write('\n');
    return answer?.trim();
  } catch (error) {
    output.write('\n');
    throw error;
  } finally {
    prompt.close();
  }
}

/** The user did not confirm. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';

  constructor() {
    super('nothing was changed');
  }
}

/**
 * Asks before a change that cannot be undone.
 *
 * @param isAssured whether `--yes` was given.
 * @throws {UsageError} if there is no terminal.
 * @throws {NotConfirmedError} for every answer except yes.
 * @throws {InterruptedError} after Ctrl-C.
 */
export async function confirm(io: CliIo, question: string, isAssured: boolean): Promise<void> {
  if (isAssured) return;
  if (io.stdin.isTTY !== true) {
    throw new UsageError(
      `${question} This needs confirmation and stdin is not a terminal: add --yes`,
    );
  }
  const text = `${toPrintableLine(question)} [y/N] `;
  const answer = await askQuestion(io.stdin, io.stderr, text);
  if (!/^y(es)?$/i.test(answer ?? '')) throw new NotConfirmedError();
}
