import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { rememberParsed } from '../../../adapters/dynamodb/remember-parsed.ts';

const parse = (item: object) => ({ parsed: JSON.stringify(item) });

describe('what was parsed', () => {
  it('is given again while the item stays the same', () => {
    const spy = vi.fn(parse);
    const read = rememberParsed(spy, 10);
    const first = read('a', { name: { S: 'x' } });
    expect(read('a', { name: { S: 'x' } })).toBe(first);
    expect(spy).toHaveBeenCalledTimes(1);
  });

  it('equals the parsed item after any sequence of reads under any keys', () => {
    const items = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.record({ S: fc.string() }));
    fc.assert(
      fc.property(fc.array(items), fc.integer({ min: 1, max: 3 }), (reads, maxItems) => {
        const read = rememberParsed(parse, maxItems);
        for (const [key, value] of reads) expect(read(key, { value })).toEqual(parse({ value }));
      }),
    );
  });

  it('makes room for others, the oldest first', () => {
    const spy = vi.fn(parse);
    const read = rememberParsed(spy, 2);
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a']) read(key, {});
    expect(spy).toHaveBeenCalledTimes(4);
  });

  it('is nothing if the item cannot be read', () => {
    const read = rememberParsed((item) => {
      if ('bad' in item) throw new Error('malformed');
      return parse(item);
    }, 10);
    read('a', {});
    expect(() => read('a', { bad: { S: '' } })).toThrow('malformed');
    expect(() => read('a', { bad: { S: '' } })).toThrow('malformed');
  });
});
