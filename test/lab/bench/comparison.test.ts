import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  comparisons,
  findOldFacts,
  formatComparison,
  products,
} from '../../../lab/bench/peers/comparison.ts';
import { readDocument, readPart } from '../../../lab/support/generated-parts.ts';

describe("README's comparison", () => {
  it('is the one that npm run bench:peers writes', () => {
    expect(readPart(readDocument('../README.md'), 'comparison')).toBe(
      formatComparison(comparisons),
    );
  });

  it.each(comparisons)('has a page and a day for each product: $topic', ({ others }) => {
    expect(others).toHaveLength(products.length);
    for (const { source, day } of others) {
      expect(new URL(source).protocol).toBe('https:');
      expect(new Date(day).toISOString().slice(0, 10)).toBe(day);
    }
  });
});

describe('the age of a cell', () => {
  const row: Comparison = {
    topic: 'price',
    own: '$1',
    others: ['2026-01-10', '2026-01-11', '2026-01-12'].map((day) => ({
      text: '$2',
      source: 'https://example.com/',
      day,
    })),
  };

  it('is told when no one has read its page for over a year', () => {
    expect(findOldFacts([row], Date.parse('2027-01-11'))).toEqual([
      `price, ${products[0]}: read on 2026-01-10 at https://example.com/`,
    ]);
    expect(findOldFacts([row], Date.parse('2027-01-10'))).toEqual([]);
  });
});
