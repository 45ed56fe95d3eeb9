import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, findNearestNames } from '../../contract/nearest-names.ts';

const names = ['messaging:view', 'messaging:manage', 'calls:view', 'numbers:view'];

describe('the nearest names', () => {
  it.each([
    ['mesaging:view', 'messaging:view'],
    ['Messaging:View', 'messaging:view'],
    ['call:view', 'calls:view'],
    ['messaging:read-everything', 'messaging:view'],
    ['messages:view', 'messaging:view'],
  ])('of %s begin with %s', (received, nearest) => {
    expect(findNearestNames(received, names)[0]).toBe(nearest);
  });

  it('are empty for a name that resembles no other', () => {
    expect(findNearestNames('x', names)).toEqual([]);
  });
});

describe('the edit distance', () => {
  it('is a metric', () => {
    const text = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
        if (a !== b) expect(editDistance(a, b)).toBeGreaterThan(0);
      }),
    );
  });
});
