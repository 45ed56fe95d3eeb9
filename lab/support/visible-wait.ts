import { spawn } from 'node:child_process';
import process from 'node:process';

/** Milliseconds between two lines. */
const pause = 10_000;

/**
 * Says at once what is waited for, then how long it has taken: npm shows its own progress only on a
 * terminal.
 *
 * @returns a function that ends this.
 */
export function sayProgress(what: string, usual: string): () => void {
  const begun = performance.now();
  process.stdout.write(`${what}: ${usual}.\n`);
  const timer = setInterval(() => {
    const passed = Math.round((performance.now() - begun) / 1000);
    process.stdout.write(`${what}: ${passed} s of ${usual}\n`);
  }, pause);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a command while lines show that it is waited for. @returns its exit code, and its errors. */
export async function runVisibly(
  what: string,
  usual: string,
  command: readonly [string, ...string[]],
  cwd: string,
): Promise<{ readonly status: number | null; readonly errors: string }> {
  const end = sayProgress(what, usual);
  const [name, ...args] = command;
  const child = spawn(name, args, { cwd, stdio: ['ignore', 'inherit', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  try {
    const status = await new Promise<number | null>((resolve) => {
      child.on('error', ({ message }) => {
        errors += message;
        resolve(null);
      });
      child.on('close', resolve);
    });
    return { status, errors };
  } finally {
    end();
  }
}
