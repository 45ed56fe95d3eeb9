import { closeSync, openSync, writeFileSync } from 'node:fs';
import { type OnStorage, StorageWatch } from '../emulator/storage.ts';

/** The log of a run: one JSON object a line. */
export interface LogFile {
  readonly write: (line: Readonly<Record<string, unknown>>) => void;
  /** Writes lines that are formatted already, each with its line end. */
  readonly append: (text: string) => void;
  /** Writes down what a function threw. */
  readonly writeError: (service: string, error: unknown) => void;
  close(): Promise<void>;
}

/**
 * Starts the log of this run, readable only by its owner. The last run's log goes. Lines for which
 * there is no room are lost, and nothing else is.
 */
export function openLogFile(path: string, onStorage?: OnStorage): LogFile {
  const file = openSync(path, 'w', 0o600);
  const storage = new StorageWatch('The log', path, 'Its lines are lost.', onStorage);
  // The first line after one that was cut off starts a line of its own.
  let separator = '';
  let isClosed = false;
  const append: LogFile['append'] = (text) => {
    if (isClosed) return;
    try {
      writeFileSync(file, separator + text);
      separator = '';
      storage.worked();
    } catch (error) {
      separator = '\n';
      storage.failed(error);
    }
  };
  const write: LogFile['write'] = (line) =>
    append(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line })}\n`);
  return {
    write,
    append,
    writeError: (service, error) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      write({ level: 'ERROR', service, message });
    },
    close: async () => {
      isClosed = true;
      closeSync(file);
    },
  };
}
