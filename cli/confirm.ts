import { toPrintableLine } from '../core/printable-text.ts';
import type { CliIo } from './cli-io.ts';
import { askQuestion } from './terminal.ts';
import { UsageError } from './usage-error.ts';

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
