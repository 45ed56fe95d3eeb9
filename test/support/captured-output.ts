import { vi } from 'vitest';

/** Everything that is written to standard output and error while `run` goes on. */
export async function captureOutput(run: () => Promise<unknown>): Promise<string> {
  let output = '';
  const write = (chunk: Uint8Array | string): boolean => {
    output += Buffer.from(chunk as string).toString();
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(write),
  );
  try {
    await run();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return output;
}
