import { apiKeyUseBounds, secondsPerDay } from '../../contract/bounds.ts';
import { BoundedMap } from '../bounded-map.ts';
import { isUseDue, numberOfId } from '../credential/last-use.ts';
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

interface UseTable {
  /** The stored value of the day, of any type. */
  readonly readDay: (use: ApiKeyUse) => Promise<unknown>;
  /** One that another instance has made before is no failure. */
  readonly write: (use: RecordedUse) => Promise<void>;
}

/**
 * Writes each value once a day, at its first use. Another instance may have done it, so the day is read
 * before, which costs a tenth. What fails is repeated with a later use; after it there is nothing for a
 * while, so a table that does not answer occupies nothing.
 */
export function createUseRecorder({ readDay, write }: UseTable): RecordApiKeyUse {
  /** The day that is recorded, by the number of the value. */
  const days = new BoundedMap<number, string>(apiKeyUseBounds.remembered);
  const recording = new Set<string>();
  let pausedUntil = 0;

  /** @returns the day that is recorded then. */
  async function recordOnce(use: ApiKeyUse, now: number): Promise<string> {
    const recorded = readUseDay(await readDay(use), now);
    if (recorded !== undefined && !isUseDue(use.valueId, recorded, now)) return recorded;
    const day = formatDay(now);
    const nextDay = formatDay(now + secondsPerDay);
    const expiresAt = now + apiKeyUseBounds.keptDays * secondsPerDay;
    await write({ ...use, day, nextDay, expiresAt });
    return day;
  }

  return (use, now) => {
    const { valueId } = use;
    const number = numberOfId(valueId);
    if (!isUseDue(valueId, days.get(number), now)) return;
    if (recording.has(valueId) || now < pausedUntil) return;
    if (recording.size >= apiKeyUseBounds.concurrent) return;
    recording.add(valueId);
    recordOnce(use, now)
      .then(
        (day) => days.set(number, day),
        () => {
          pausedUntil = now + apiKeyUseBounds.pause;
        },
      )
      .finally(() => recording.delete(valueId));
  };
}

/** What is stored, if it can be: a day that is not over anywhere, or one before. */
export function readUseDay(stored: unknown, now: number): string | undefined {
  if (typeof stored !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(stored)) return undefined;
  return stored <= formatDay(now + secondsPerDay) ? stored : undefined;
}
