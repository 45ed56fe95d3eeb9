import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesEtag, strongEtag } from '../../../core/document/etag.ts';

const etag = strongEtag('content');

describe('entity tags', () => {
  it('are strong and follow the content', () => {
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
    expect(strongEtag('content')).toBe(etag);
    expect(strongEtag('content ')).not.toBe(etag);
  });

  it.each([
    [[etag], true],
    [[`W/${etag}`], true],
    [['*'], true],
    [[` ${etag} `], true],
    [[`"a", ${etag}`], true],
    [[`"a",W/${etag},"b"`], true],
    [['"a"', etag], true],
    [['"with, comma"', etag], true],
    [[], false],
    [[''], false],
    [['"a"'], false],
    [[etag.slice(1, -1)], false],
    [[`"x${etag.slice(1)}`], false],
    [[`"*"`], false],
  ])('If-None-Match %j matches: %s', (values, matches) => {
    expect(matchesEtag(values, etag)).toBe(matches);
  });

  it('match in a list at any place', () => {
    const other = fc.stringMatching(/^"[a-z,]{0,9}"$/);
    fc.assert(
      fc.property(fc.array(other), fc.array(other), (before, after) => {
        expect(matchesEtag([[...before, etag, ...after].join(', ')], etag)).toBe(true);
        expect(matchesEtag([[...before, ...after].join(', ')], etag)).toBe(false);
      }),
    );
  });
});
