import { SeededRandom } from '../../../emulator/faults/seeded-random.ts';

/** Choices from a seed: the same seed plays the same history again. */
export class Random extends SeededRandom {
  /**
   * A generator of its own for one part of a history, so that a part that is left out changes
   * nothing about the others.
   */
  static for(seed: number, ...part: readonly (string | number)[]): Random {
    let hash = seed >>> 0;
    for (const character of part.join('/')) {
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
    }
    return new Random(hash);
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(0, values.length - 1)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }
}
