import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandomPool } from '../../../lambda/token/token-endpoint.ts';

describe('a pool of random bytes', () => {
  it('gives as many as are asked for, and none of them again', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 16, max: 5000 }), { maxLength: 50 }), (lengths) => {
        const draw = createRandomPool();
        const drawn = lengths.map((length) => draw(length));
        expect(drawn.map(({ length }) => length)).toEqual(lengths);
        const texts = drawn.map((bytes) => Buffer.from(bytes).toString('hex').slice(0, 32));
        expect(new Set(texts).size).toBe(lengths.length);
      }),
    );
  });

  it('keeps what it gave as it was', () => {
    const draw = createRandomPool();
    const first = draw(16);
    const before = Buffer.from(first).toString('hex');
    for (let count = 0; count < 1000; count += 1) draw(16);
    expect(Buffer.from(first).toString('hex')).toBe(before);
  });

  it('has every value of a byte', () => {
    const draw = createRandomPool();
    const seen = new Set(Array.from({ length: 1000 }, () => [...draw(16)]).flat());
    expect(seen.size).toBe(256);
  });
});
