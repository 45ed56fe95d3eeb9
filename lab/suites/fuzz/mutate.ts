import type { Random } from '../rotation/simulation/random.ts';

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

type Edit = (data: Buffer, random: Random, corpus: readonly Buffer[]) => Buffer;

function insertAt(data: Buffer, at: number, piece: Buffer, remove = 0): Buffer {
  return Buffer.concat([data.subarray(0, at), piece, data.subarray(at + remove)]);
}

const edits: readonly Edit[] = [
  function flipBit(data, random) {
    const copy = Buffer.from(data);
    const at = random.integer(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(0, 7));
    return copy;
  },
  function setByte(data, random) {
    const copy = Buffer.from(data);
    copy[random.integer(0, copy.length - 1)] = random.integer(0, 255);
    return copy;
  },
  function insertWord(data, random) {
    return insertAt(data, random.integer(0, data.length), random.pick(words));
  },
  function replaceByWord(data, random) {
    const word = random.pick(words);
    return insertAt(data, random.integer(0, data.length), word, word.length);
  },
  function cutOut(data, random) {
    const at = random.integer(0, data.length - 1);
    return insertAt(data, at, Buffer.alloc(0), random.integer(1, data.length - at));
  },
  function repeat(data, random) {
    const at = random.integer(0, data.length - 1);
    const piece = data.subarray(at, at + random.integer(1, 16));
    const times = random.integer(1, random.chance(0.02) ? 2000 : 8);
    return insertAt(data, at, Buffer.concat(Array.from({ length: times }, () => piece)));
  },
  function splice(data, random, corpus) {
    const other = random.pick(corpus);
    const at = random.integer(0, other.length - 1);
    return Buffer.concat([data.subarray(0, random.integer(0, data.length)), other.subarray(at)]);
  },
];

/** An input made of those that got far: of one, or of two, with a few changes. */
export function mutate(corpus: readonly Buffer[], random: Random): Buffer {
  let data = random.pick(corpus);
  const count = random.integer(1, 4);
  for (let made = 0; made < count; made += 1) {
    if (data.length > 0) data = random.pick(edits)(data, random, corpus);
    else data = Buffer.from(random.pick(words));
  }
  return data.subarray(0, maxLength);
}
