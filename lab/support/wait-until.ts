import { setTimeout as sleep } from 'node:timers/promises';
import { stepLimit } from './hang-limit.ts';

interface WaitOptions {
  /** The process that is waited for: if it ends, waiting does, too. */
  readonly child?: { readonly exitCode: number | null } | undefined;
  /** Milliseconds between two questions. */
  readonly interval?: number;
}

/**
 * Asks until there is an answer other than undefined and false.
 *
 * @throws {Error} if there was none within the limit of a step, or the process has ended.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => T | Promise<T>,
  { child, interval = 50 }: WaitOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + stepLimit;
  const hasEnded = () => (child?.exitCode ?? null) !== null;
  while (performance.now() < deadline && !hasEnded()) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    await sleep(interval);
  }
  throw new Error(`waited in vain until ${what}, exit code ${child?.exitCode ?? 'none'}`);
}

/** Whether a server answers, with any of these statuses. */
export function answers(url: string, isGood = ({ ok }: Response) => ok): Promise<boolean> {
  return fetch(url).then(isGood, () => false);
}
