import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';

/** The log of a run: one JSON object a line. */
export interface LogFile {
  readonly write: (line: Readonly<Record<string, unknown>>) => void;
  /** Notes what a function threw. */
  readonly writeError: (service: string, error: unknown) => void;
  close(): Promise<void>;
}

/** Starts the log of this run, for its owner alone. The last run's log goes. */
export function openLogFile(path: string): LogFile {
  const stream = createWriteStream(path, { fd: openSync(path, 'w', 0o600) });
  const write: LogFile['write'] = (line) => {
    stream.write(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line })}\n`);
  };
  return {
    write,
    writeError: (service, error) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      write({ level: 'ERROR', service, message });
    },
    close: async () => {
      stream.end();
      await once(stream, 'close');
    },
  };
}
