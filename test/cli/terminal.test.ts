import { readFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Output } from '../../cli/output.ts';
import { sourceFiles } from '../architecture/source-files.ts';
import { controlCharacters } from '../support/control-characters.ts';

const hostileText = string({
  unit: constantFrom(
    '\u001b',
    '\u001b[1m',
    '\u001b[22m',
    '\u0007',
    '\r',
    '\n',
    '\u009b',
    '\u202e',
    'A',
    ' ',
    '名',
  ),
});

/** Output on a terminal, and what it was given. */
function open(options: { readonly json?: boolean } = {}) {
  let written = '';
  const collect = () =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          written += chunk.toString();
          done();
        },
      }),
      { isTTY: true },
    );
  const io = {
    stdin: new PassThrough(),
    stdout: collect(),
    stderr: collect(),
    env: {},
    cwd: '/',
  };
  return { output: new Output(io, options), written: () => written };
}

/** What stays of a text without the words that this program itself made bold. */
function withoutBold(text: string, words: readonly string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(`\u001b[1m${word}\u001b[22m`, ''), text);
}

describe('what is printed', () => {
  it('has no control character of a table, a message or a field in it', () => {
    assert(
      property(array(hostileText, { minLength: 1, maxLength: 5 }), (texts) => {
        const { output, written } = open();
        const columns = { ID: (text: string) => text, NAME: (text: string) => text };
        output.printList(texts, { view: (text) => ({ text }), id: String, columns, none: '' });
        output.print({
          json: {},
          quiet: [],
          text: output.fields(texts.map((text) => ['id', text])),
        });
        output.print({ json: {}, quiet: [], text: texts.join('\n') });
        for (const text of texts) output.warn(text);
        expect(withoutBold(written(), ['ID', 'NAME', 'id'])).not.toMatch(controlCharacters);
      }),
    );
  });

  it('is the same document with --json', () => {
    assert(
      property(array(hostileText), (texts) => {
        const { output, written } = open({ json: true });
        output.print({ json: { items: texts }, quiet: [], text: '' });
        expect(written()).not.toMatch(controlCharacters);
        expect(JSON.parse(written())).toEqual({ items: texts });
      }),
    );
  });

  it('goes through one place', () => {
    const own = ['cli/terminal.ts', 'cli/terminal.ts'];
    const others = sourceFiles('cli').filter((file) => !own.some((name) => file.endsWith(name)));
    const direct = others.filter((file) =>
      /(stdout|stderr)\.write|console\./.test(readFileSync(file, 'utf8')),
    );
    expect(direct).toEqual([]);
  });
});
