import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { toPrintableLine } from '../core/printable-text.ts';
import type { CliIo } from './cli-io.ts';
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
 */
export async function confirm(io: CliIo, question: string, isAssured: boolean): Promise<void> {
  if (isAssured) return;
  if (io.stdin.isTTY !== true) {
    throw new UsageError(
      `${question} This needs confirmation and stdin is not a terminal: add --yes`,
    );
  }
  const prompt = createInterface({ input: io.stdin, output: io.stderr });
  try {
    // When the input ends, e.g. by Ctrl-D, the prompt closes without an answer.
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
