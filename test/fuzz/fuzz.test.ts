import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BrokenPromiseError,
  type FuzzTarget,
  runTimed,
} from '../../lab/suites/fuzz/fuzz-target.ts';
import { targets } from '../../lab/suites/fuzz/targets.ts';
import { workUnit } from '../../lab/support/cpu-cost.ts';

/** Inputs of each parser: `npm run test:all -- fuzz` makes a million in all. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 250);

/** Texts at which parsers differ. */
// biome-ignore format: a table of short words reads better in rows
const words: readonly string[] = [
  '%', '%00', '%FF', '%25', '+', '&', '=', ';', ':', '.', '..', '/', '\\', '"', "'", ' ',
  '{', '}', '[', ']', ',', 'null', 'true', '-1', '1e999', '0x', '\\u0000', '\\ud800',
  '__proto__', 'constructor', 'toString', 'Basic ', 'Bearer ', '\r\n', '\t', '\u0000',
  '\ufeff', '\u202e', '\u0130', 'ﾊ', 'é', 'e\u0301', '::', 'ffff:', '255', '256', '/0', '/33',
];

/** A seed with some of its bytes changed, doubled or cut out; or any bytes. */
function inputs({ seeds }: FuzzTarget): fc.Arbitrary<Buffer> {
  const seed = fc.constantFrom(...seeds).map((text) => Buffer.from(text));
  const edit = fc.record({
    at: fc.nat(2000),
    remove: fc.nat(20),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...words).map((text) => Buffer.from(text)),
      fc.constantFrom(...seeds).map((text) => Buffer.from(text)),
    ),
  });
  const edited = fc.tuple(seed, fc.array(edit, { maxLength: 4 })).map(([start, edits]) =>
    edits.reduce((data, { at, remove, insert }) => {
      const from = at % (data.length + 1);
      return Buffer.concat([data.subarray(0, from), insert, data.subarray(from + remove)]);
    }, start),
  );
  const repeated = fc
    .tuple(fc.constantFrom('(', '[', '"', '%', 'a', '=', '.', ' ', '\\'), fc.nat(20_000))
    .map(([text, times]) => Buffer.from(text.repeat(times)));
  const any = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof({ weight: 6, arbitrary: edited }, { weight: 2, arbitrary: any }, repeated);
}

describe('any bytes sent to', () => {
  it.each(Object.entries(targets))('%s, its promises hold', async (_, target) => {
    for (const seed of target.seeds) await runTimed(target, Buffer.from(seed));
    await fc.assert(
      fc.asyncProperty(inputs(target), (data) => runTimed(target, data)),
      { numRuns: runs },
    );
  });
});

describe('the oracle', () => {
  it.each([
    [
      'an error of an unknown kind',
      () => {
        throw new TypeError('x');
      },
    ],
    [
      'a pollution of all objects',
      () => {
        (Object.prototype as { polluted?: number }).polluted = 1;
      },
    ],
  ])('sees %s', async (_, run) => {
    try {
      await expect(runTimed({ seeds: [], run }, Buffer.of())).rejects.toThrow();
    } finally {
      delete (Object.prototype as { polluted?: number }).polluted;
    }
  });

  it('sees an input that takes long', async () => {
    const run = () => {
      for (let count = 0; count < 100; count += 1) workUnit();
    };
    await expect(runTimed({ seeds: [], run }, Buffer.of())).rejects.toThrow(BrokenPromiseError);
  });
});
