import fc from 'fast-check';
import { playStory } from './play-story.ts';
import { arbitraryStory } from './story.ts';

export interface Histories {
  readonly histories: number;
  /** The same seed plays the same histories. */
  readonly seed: number;
}

/** What was seen in histories. */
export interface HistoryCounts {
  readonly histories: number;
  readonly troubles: number;
  readonly tokens: number;
  /** Pairs of a token and an instance of a JWKS function. */
  readonly checks: number;
  readonly largestJwks: number;
}

/**
 * Plays histories that chance picks.
 *
 * @throws a violation in the shortest story that still shows it, with the seed and the path that
 *   play it again.
 */
export async function playHistories({ histories, seed }: Histories): Promise<HistoryCounts> {
  let total = { histories: 0, troubles: 0, tokens: 0, checks: 0, largestJwks: 0 };
  const property = fc.asyncProperty(arbitraryStory, async (story) => {
    const { counts } = (await playStory(story)).watch;
    total = addCounts(total, { histories: 1, troubles: story.troubles.length, ...counts });
  });
  await fc.assert(property, { numRuns: histories, seed, includeErrorInReport: true });
  return total;
}

export function addCounts(a: HistoryCounts, b: HistoryCounts): HistoryCounts {
  return {
    histories: a.histories + b.histories,
    troubles: a.troubles + b.troubles,
    tokens: a.tokens + b.tokens,
    checks: a.checks + b.checks,
    largestJwks: Math.max(a.largestJwks, b.largestJwks),
  };
}
