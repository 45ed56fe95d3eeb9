import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditedChange } from '../core/restore/replay.ts';
import type { ChangeShelf } from '../core/restore/restore-items.ts';

const bufferedBytes = 1024 * 1024;

/** Where a change is in the file, and the one before it of the same item. */
interface Place {
  readonly at: number;
  readonly length: number;
  readonly before: Place | undefined;
}

/**
 * A shelf in a file that only this user can read and that has no name: it is gone with the process. The
 * changes of 35 days of a large deployment are 2 GB, and their places take 150 MB of memory.
 */
export function createFileShelf(): ChangeShelf & { close(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'authctl-'));
  const file = openSync(join(folder, 'changes'), 'wx+', 0o600);
  rmSync(folder, { recursive: true });
  const last = new Map<string, Place>();
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let written = 0;

  function flush(): void {
    writeSync(file, Buffer.concat(waiting), 0, waitingBytes, written);
    written += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  }

  function read({ at, length }: Place): AuditedChange {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, at);
    return JSON.parse(bytes.toString()) as AuditedChange;
  }

  return {
    put(owner, change) {
      const bytes = Buffer.from(JSON.stringify(change));
      const at = written + waitingBytes;
      last.set(owner, { at, length: bytes.length, before: last.get(owner) });
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > bufferedBytes) flush();
    },
    take(owner) {
      if (waitingBytes > 0) flush();
      const changes: AuditedChange[] = [];
      for (let place = last.get(owner); place !== undefined; place = place.before) {
        changes.push(read(place));
      }
      return changes.toReversed();
    },
    close: () => closeSync(file),
  };
}
