import { describe, expect, it } from 'vitest';
import { computeParts } from '../../lab/bench/cost/parts.ts';
import { computeProofParts, proofPages } from '../../lab/prove/pages.ts';
import { costPages, readDocument, readPart } from '../../lab/support/generated-parts.ts';
import { withStubBundles } from './synthesise.ts';

describe('docs/cost.md, docs/compare.md and README', () => {
  it('have the tables that node lab/bench/cost/main.ts computes', () => {
    const page = costPages.map(readDocument).join('\n');
    withStubBundles((bundles) => {
      for (const [name, content] of Object.entries(computeParts(bundles))) {
        expect(readPart(page, name), `part ${name}: run node lab/bench/cost/main.ts`).toBe(content);
      }
    });
  });
});

describe('docs/compare.md', () => {
  it('has a page and its month in each cell of another product', () => {
    const rows = readDocument('compare.md')
      .split('\n')
      .filter((line) => line.endsWith(')) |'));
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      const others = row.split(' | ').slice(2);
      expect(others).toHaveLength(4);
      for (const cell of others)
        expect(cell).toMatch(/ \(\[20\d\d-\d\d]\(https:\/\/\S+\)\)(?: \|)?$/);
    }
  });
});

describe('the first table of docs/cost.md', () => {
  it('has the totals of README, at rest and with a million tokens', () => {
    const page = readDocument('cost.md');
    const [first = ''] = /^\|[^]*?\n\n/m.exec(page) ?? [];
    expect(first.trim()).toBe(readPart(page, 'totals'));
    const bill = readPart(readDocument('../README.md'), 'bill');
    const promised = (bill.match(/\$[\d.]+/g) ?? []).map((total) => `**${total}**`);
    expect(promised).toHaveLength(4);
    expect(promised.filter((total) => !first.includes(total))).toEqual([]);
  });
});

describe('the pages with proofs', () => {
  it('say what the table has, and what a run costs by the model', () => {
    withStubBundles((bundles) => {
      const text = proofPages.map(readDocument).join();
      for (const [name, part] of Object.entries(computeProofParts(bundles))) {
        expect(readPart(text, name), 'run node lab/prove/pages.ts').toBe(part);
      }
    });
  });
});
