import { readFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPages } from '../../cli/commands/list-options.ts';
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
  const io = { stdin: new PassThrough(), stdout: collect(), stderr: collect(), env: {}, cwd: '/' };
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
        const row = (text: string) => ({ ID: text, NAME: text });
        output.printList(texts, { view: (text) => ({ text }), id: String, row, none: '' });
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

  const longList = {
    view: (id: number) => ({ id, twice: { value: 2 * id } }),
    id: String,
    row: (id: number) => ({ ID: id, NAME: `${'n'.repeat(id % 40)}\u001b` }),
    none: 'none',
  };

  it('is one document, written page by page before the next page is read', async () => {
    const pages = [[1, 2], [], [3]];
    for (const read of [pages, []]) {
      const { output, written } = open({ json: true });
      const lengths: number[] = [];
      async function* pagesOf() {
        for (const page of read) {
          yield page;
          lengths.push(written().length);
        }
      }
      await output.printPages(pagesOf(), () => longList);
      const items = read.flat().map(longList.view);
      expect(written()).toBe(`${JSON.stringify({ items }, undefined, 2)}\n`);
      expect(new Set(lengths).size).toBe(read.length === 0 ? 0 : 2);
    }
  });

  it('is one table in order, however many pages and rows there are', async () => {
    async function* pagesOf() {
      for (let page = 0; page < 5; page++) {
        yield Array.from({ length: 150 }, (_, index) => 749 - (page * 150 + index));
      }
    }
    const { output, written } = open();
    await output.printPages(
      pagesOf(),
      () => longList,
      (a, b) => a - b,
    );
    const lines = stripVTControlCharacters(written()).trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/ .*/, ''))).toEqual(
      ['ID', ...Array(750).keys()].map(String),
    );
    expect(new Set(lines.map((line) => line.indexOf('n')))).toEqual(new Set([-1, 5]));
  });

  it('makes the cells of no table for a script', () => {
    const { output } = open({ json: true });
    const row = () => expect.fail('it formatted a table that no one sees');
    output.printList([1], { ...longList, row });
  });

  it('tells a person at a terminal how far a long list is', async () => {
    const { output, written } = open({ json: true });
    const read = async (cursor = '0') => {
      const nextCursor = cursor === '24' ? undefined : String(Number(cursor) + 1);
      return { items: [], examined: 1000, nextCursor };
    };
    for await (const page of readPages(output, read)) expect(page.items).toEqual([]);
    expect(written()).toBe('10000 read\n20000 read\n');
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
