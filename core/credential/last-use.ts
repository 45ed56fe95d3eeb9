import { lastUseSpread, secondsPerDay } from '../../contract/bounds.ts';
import { formatDay } from '../time.ts';

/** Characters of a generated id that make its number: 41 random bits. */
const countedCharacters = 7;

/** A number for a generated id, which takes less memory. Two ids of a deployment have another. */
export function numberOfId(id: string): number {
  let number = 0;
  for (let at = Math.max(0, id.length - countedCharacters); at < id.length; at++) {
    number = number * 128 + (id.charCodeAt(at) % 128);
  }
  return number;
}

/**
 * Whether a use is recorded now. After midnight UTC every credential has a new day, so one that was
 * used the day before waits for a second of its own. Then a day of the record is one too early if the
 * credential is used only before that second.
 *
 * @param recorded the day that is recorded, if there is one.
 * @param now seconds since the epoch.
 */
export function isUseDue(id: string, recorded: string | undefined, now: number): boolean {
  if (recorded === undefined) return true;
  if (recorded >= formatDay(now)) return false;
  const second = now % secondsPerDay;
  if (second >= lastUseSpread) return true;
  const own = numberOfId(id) % lastUseSpread;
  return second >= own || recorded !== formatDay(now - secondsPerDay);
}
