import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';

/** Takes one object a line. */
export interface LogFile {
  write(line: object): void;
  close(): Promise<void>;
}

/** Starts the log of this run: JSON lines, for its owner alone. The last run's log goes. */
export function openLogFile(path: string): LogFile {
  const stream = createWriteStream(path, { fd: openSync(path, 'w', 0o600) });
  return {
    write: (line) => stream.write(`${JSON.stringify(line)}\n`),
    close: async () => {
      stream.end();
      await once(stream, 'close');
    },
  };
}
