import { apiKeyUseBounds, secondsPerDay } from '../../contract/bounds.ts';
import { apiKeyUseId } from '../../contract/tables.ts';
import { BoundedMap } from '../bounded-map.ts';
import { formatDay } from '../time.ts';
import type { ApiKeyUse, RecordApiKeyUse } from './api-key.ts';

/** What is written of a use. */
export interface RecordedUse extends ApiKeyUse {
  /** UTC, `2026-11-20`. */
  readonly day: string;
  /** The day after: a clock is ahead by less, so what is stored beyond it is wrong. */
  readonly nextDay: string;
  /** Seconds since the epoch; what is stored is deleted then. */
  readonly expiresAt: number;
}

type WriteUse = (use: RecordedUse) => Promise<void>;

/**
 * Writes each value once a day, at its first use. A write that fails is made with a later use; after
 * it there is none for a while, so a table that does not answer occupies nothing.
 */
class UseRecorder {
  readonly #write: WriteUse;
  /** The day that is written, by value. */
  readonly #days = new BoundedMap<string, string>(apiKeyUseBounds.remembered);
  readonly #writing = new Set<string>();
  #pausedUntil = 0;

  constructor(write: WriteUse) {
    this.#write = write;
  }

  record(use: ApiKeyUse, now: number): void {
    const id = apiKeyUseId(use.keyId, use.valueId);
    const day = formatDay(now);
    if (this.#days.get(id) === day || this.#writing.has(id) || now < this.#pausedUntil) return;
    if (this.#writing.size >= apiKeyUseBounds.concurrent) return;
    this.#writing.add(id);
    const nextDay = formatDay(now + secondsPerDay);
    const expiresAt = now + apiKeyUseBounds.keptDays * secondsPerDay;
    this.#write({ ...use, day, nextDay, expiresAt })
      .then(
        () => this.#days.set(id, day),
        () => {
          this.#pausedUntil = now + apiKeyUseBounds.pause;
        },
      )
      .finally(() => this.#writing.delete(id));
  }
}

/** @param write one that another instance has made before is no failure. */
export function createUseRecorder(write: WriteUse): RecordApiKeyUse {
  const recorder = new UseRecorder(write);
  return (use, now) => recorder.record(use, now);
}

/** What is stored, if it can be: a day that is not over anywhere, or one before. */
export function readUseDay(stored: unknown, now: number): string | undefined {
  if (typeof stored !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(stored)) return undefined;
  return stored <= formatDay(now + secondsPerDay) ? stored : undefined;
}
