import type { SeededRandom } from '../../emulator/faults/seeded-random.ts';

/** Texts at which parsers differ. */
// biome-ignore format: a table of short words reads better in rows
const words: readonly Buffer[] = [
  '%', '%00', '%FF', '%25', '+', '&', '=', ';', ':', '.', '..', '/', '\\', '"', "'", ' ',
  '{', '}', '[', ']', ',', 'null', 'true', '-1', '1e999', '0x', '\\u0000', '\\ud800',
  '__proto__', 'constructor', 'toString', 'Basic ', 'Bearer ', '\r\n', '\t', '\u0000',
  '\ufeff', '\u202e', '\u0130', 'ﾊ', 'é', 'e\u0301', '::', 'ffff:', '255', '256', '/0', '/33',
].map((text) => Buffer.from(text));

/** Longest input, in bytes: above every limit of the service that can be reached in a header. */
const maxLength = 16 * 1024;

function below(random: SeededRandom, limit: number): number {
  return Math.floor(random.next() * limit);
}

function pick<T>(random: SeededRandom, values: readonly T[]): T {
  const value = values[below(random, values.length)];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
}

type Edit = (data: Buffer, random: SeededRandom, corpus: readonly Buffer[]) => Buffer;

function insertAt(data: Buffer, at: number, piece: Buffer, remove = 0): Buffer {
  return Buffer.concat([data.subarray(0, at), piece, data.subarray(at + remove)]);
}

const edits: readonly Edit[] = [
  function flipBit(data, random) {
    const copy = Buffer.from(data);
    const at = below(random, copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << below(random, 8));
    return copy;
  },
  function setByte(data, random) {
    const copy = Buffer.from(data);
    copy[below(random, copy.length)] = below(random, 256);
    return copy;
  },
  function insertWord(data, random) {
    return insertAt(data, below(random, data.length + 1), pick(random, words));
  },
  function replaceByWord(data, random) {
    const word = pick(random, words);
    return insertAt(data, below(random, data.length + 1), word, word.length);
  },
  function cutOut(data, random) {
    const at = below(random, data.length);
    return insertAt(data, at, Buffer.alloc(0), 1 + below(random, data.length - at));
  },
  function repeat(data, random) {
    const at = below(random, data.length);
    const piece = data.subarray(at, at + 1 + below(random, 16));
    const times = 1 + below(random, random.next() < 0.02 ? 2000 : 8);
    return insertAt(data, at, Buffer.concat(Array.from({ length: times }, () => piece)));
  },
  function splice(data, random, corpus) {
    const other = pick(random, corpus);
    const at = below(random, other.length);
    return Buffer.concat([data.subarray(0, below(random, data.length + 1)), other.subarray(at)]);
  },
];

/** An input made of those that got far: of one, or of two, with a few changes. */
export function mutate(corpus: readonly Buffer[], random: SeededRandom): Buffer {
  let data = pick(random, corpus);
  const count = 1 + below(random, 4);
  for (let made = 0; made < count; made += 1) {
    if (data.length > 0) data = pick(random, edits)(data, random, corpus);
    else data = Buffer.from(pick(random, words));
  }
  return data.subarray(0, maxLength);
}
