import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { toPrintableLine } from '../core/printable-text.ts';
import type { CliIo } from './cli-io.ts';
import { UsageError } from './usage-error.ts';

/** The person said no. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';

  constructor() {
    super('nothing was changed');
  }
}

/**
 * Asks before something that cannot be undone.
 *
 * @param isAssured whether `--yes` was said.
 * @throws {UsageError} if no one can be asked.
 * @throws {NotConfirmedError} for every answer but yes.
 */
export async function confirm(io: CliIo, question: string, isAssured: boolean): Promise<void> {
  if (isAssured) return;
  if (io.stdin.isTTY !== true) {
    throw new UsageError(`${question} This needs confirmation and stdin is no terminal: say --yes`);
  }
  const prompt = createInterface({ input: io.stdin, output: io.stderr });
  try {
    // An end of the input, such as Ctrl-D, closes the prompt and answers nothing.
    const ended = once(prompt, 'close').then(() => '');
    const answer = await Promise.race([
      prompt.question(`${toPrintableLine(question)} [y/N] `),
      ended,
    ]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new NotConfirmedError();
  } finally {
    prompt.close();
  }
}
