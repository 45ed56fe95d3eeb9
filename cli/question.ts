import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/** The person pressed Ctrl-C in place of an answer. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/**
 * Asks one question on a terminal.
 *
 * @returns the answer without surrounding blanks, or undefined if the input ends (Ctrl-D).
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
  const asked = prompt.question(question).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
    return undefined;
  });
  try {
    const answer = await Promise.race([asked, ended, interrupted]);
    if (answer === undefined) output.write('\n');
    return answer?.trim();
  } catch (error) {
    output.write('\n');
    throw error;
  } finally {
    prompt.close();
  }
}
