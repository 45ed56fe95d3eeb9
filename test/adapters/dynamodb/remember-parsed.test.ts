import { describe, expect, it, vi } from 'vitest';
import { rememberParsed } from '../../../adapters/dynamodb/items/remember-parsed.ts';

const parse = (item: object) => ({ parsed: JSON.stringify(item) });

describe('what was parsed', () => {
  it('is given again for the same object', () => {
    const spy = vi.fn(parse);
    const read = rememberParsed(spy);
    const item = { name: { S: 'x' } };
    expect(read(item)).toBe(read(item));
    expect(spy).toHaveBeenCalledTimes(1);
  });

  it('is parsed again for another object, also one with the same content', () => {
    const read = rememberParsed(parse);
    const first = read({ name: { S: 'x' } });
    expect(read({ name: { S: 'x' } })).not.toBe(first);
    expect(read({ name: { S: 'y' } })).toEqual(parse({ name: { S: 'y' } }));
  });

  it('is nothing if the item cannot be read', () => {
    const read = rememberParsed(() => {
      throw new Error('malformed');
    });
    const item = {};
    expect(() => read(item)).toThrow('malformed');
    expect(() => read(item)).toThrow('malformed');
  });
});
