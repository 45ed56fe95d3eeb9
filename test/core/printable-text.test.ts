import { assert, constantFrom, jsonValue, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPrintable, toPrintableLine } from '../../core/printable-text.ts';
import { controlCharacters } from '../support/control-characters.ts';

/** More control characters than chance would bring. */
const text = oneof(
  string({ unit: 'binary' }),
  string({ unit: 'grapheme' }),
  string({ unit: constantFrom('\u001b', '\u0007', '\r', '\u009b', '\u202e', '[31m', ']0;x', 'a') }),
);

describe('text for a terminal', () => {
  it.each([
    ['ESC', '\u001b[2J', String.raw`\u001b[2J`],
    ['BEL', 'a\u0007', String.raw`a\u0007`],
    ['a carriage return', 'safe\rforged', String.raw`safe\u000dforged`],
    ['DEL', '\u007f', String.raw`\u007f`],
    ['CSI of C1', '\u009b31m', String.raw`\u009b31m`],
    ['a right-to-left override', 'txt\u202Eexe', String.raw`txt\u202eexe`],
    ['an isolate', '\u2066a\u2069', String.raw`\u2066a\u2069`],
    ['a byte order mark', '\ufeffa', String.raw`\ufeffa`],
    ['a tag, outside the BMP', '\u{e0041}', String.raw`\udb40\udc41`],
    ['a line separator', '\u2028', String.raw`\u2028`],
  ])('shows %s as its escape', (_, given, expected) => {
    expect(toPrintable(given)).toBe(expected);
  });

  it.each(['Straße', '日本語', '👩\u200d👩\u200d👧', 'می\u200cخواهم', 'a\nb', '\\u001b'])(
    'leaves %j as it is',
    (given) => {
      expect(toPrintable(given)).toBe(given);
    },
  );

  it('has no line feed within a line', () => {
    expect(toPrintableLine('a\nb')).toBe(String.raw`a\u000ab`);
  });

  it('never has a control character in it, and is the same when it is made twice', () => {
    assert(
      property(text, (given) => {
        const shown = toPrintable(given);
        expect(shown).not.toMatch(controlCharacters);
        expect(toPrintable(shown)).toBe(shown);
        expect(toPrintableLine(given)).not.toMatch(/\n/);
      }),
    );
  });

  it('leaves a JSON document the same document', () => {
    assert(
      property(jsonValue({ stringUnit: 'binary' }), text, (value, more) => {
        const document = JSON.stringify({ value, [more]: more }, undefined, 2);
        const shown = toPrintable(document);
        expect(shown).not.toMatch(controlCharacters);
        expect(JSON.parse(shown)).toEqual(JSON.parse(document));
      }),
    );
  });
});
