import { describe, expect, it } from 'vitest';
import { readTraceId } from '../../contract/trace-context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const good = `00-${trace}-00f067aa0ba902b7-01`;

describe('readTraceId', () => {
  it('reads the trace of one header', () => {
    expect(readTraceId([good])).toBe(trace);
  });

  it.each<readonly [string, readonly string[]]>([
    ['none', []],
    ['two', [good, good]],
    ['two in one line', [`${good}, ${good}`]],
    ['the version that there is not', [`ff${good.slice(2)}`]],
    ['this version with more', [`${good}-more`]],
    ['a trace of nothing', [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]],
    ['a caller of nothing', [`00-${trace}-${'0'.repeat(16)}-01`]],
    ['upper case', [good.toUpperCase()]],
    ['a shorter trace', [`00-${trace.slice(1)}-00f067aa0ba902b7-01`]],
    ['no flags', [good.slice(0, -3)]],
    ['flags of one digit', [good.slice(0, -1)]],
    ['a blank before', [` ${good}`]],
    ['a line break after', [`${good}\n`]],
    ['a version that there is not yet', [`01${good.slice(2)}`]],
    ['8 KB', [`${good}${'0'.repeat(8192)}`]],
  ])('has no trace of %s', (_, values) => {
    expect(readTraceId(values)).toBeUndefined();
  });
});
