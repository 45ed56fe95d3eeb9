import { describe, expect, it } from 'vitest';
import { findOldFacts, readFacts } from '../../../lab/bench/peers/comparison.ts';
import { readDocument, readPart } from '../../../lab/support/generated-parts.ts';

const [head = '', , ...rows] = readPart(readDocument('../README.md'), 'comparison').split('\n');
const products = head.split(' | ').slice(2);

describe("README's comparison", () => {
  it('compares with three products', () => {
    expect([products.length, rows.length]).toEqual([3, 10]);
  });

  it.each(rows)('has a page and a month for each product: %s', (row) => {
    const facts = readFacts(row);
    expect(facts).toHaveLength(products.length);
    for (const { text, source, month } of facts) {
      expect(text).not.toBe('');
      expect(new URL(source).protocol).toBe('https:');
      expect(new Date(month).toISOString().slice(0, 7)).toBe(month);
    }
  });
});

describe('the age of a cell', () => {
  const cells = ['2026-01', '2026-02', '2026-03'].map(
    (month) => `$2 ([${month}](https://a.test/))`,
  );
  const facts = readFacts(`| price | $1 | ${cells.join(' | ')} |`);

  it('is told when no one has read its page for over a year', () => {
    expect(findOldFacts(facts, Date.parse('2027-01-02'))).toEqual([
      'price, $2: read in 2026-01 at https://a.test/',
    ]);
    expect(findOldFacts(facts, Date.parse('2027-01-01'))).toEqual([]);
  });
});
