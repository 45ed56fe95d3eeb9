import { describe, expect, it } from 'vitest';
import { findOldFacts, formatComparison, listFacts } from '../../../lab/bench/cost/comparison.ts';

describe('docs/compare.md', () => {
  it.each(listFacts())('has a page and a month: $topic, $text', ({ source, month }) => {
    expect(new URL(source).protocol).toBe('https:');
    expect(new Date(month).toISOString().slice(0, 7)).toBe(month);
  });

  it('has each cell with its month and its page', () => {
    const [head = '', , ...rows] = formatComparison('$1').split('\n');
    expect(head).toBe('|  | this service | Amazon Cognito | Auth0 | Ory Hydra | Keycloak |');
    expect(rows[0]).toMatch(
      /^\| list price \| \$1 \| \$2\.25 for 1,000 tokens .* \(\[2026-11]\(https:/,
    );
    expect(rows).toHaveLength(listFacts().length / 4);
  });
});

it('says which cells no one has read for over a year', () => {
  const facts = ['2026-01', '2026-02'].map((month) => ({
    topic: 'price',
    text: '$2',
    source: 'https://a.test/',
    month,
  }));
  expect(findOldFacts(facts, Date.parse('2027-01-02'))).toEqual([
    'price, $2: read in 2026-01 at https://a.test/',
  ]);
  expect(findOldFacts(facts, Date.parse('2027-01-01'))).toEqual([]);
});
