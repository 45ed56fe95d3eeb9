import { VFile } from 'vfile';
import { describe, expect, it } from 'vitest';
import { checkProse } from '../../lab/tools/prose/check-prose.ts';
import { extractProse } from '../../lab/tools/prose/extract-prose.ts';

async function findings(path: string, source: string): Promise<readonly string[]> {
  const file = new VFile({ path, value: extractProse(path, source) });
  await checkProse(file);
  return file.messages.map(({ line, column, reason }) => `${line}:${column} ${reason}`);
}

describe('the prose linter', () => {
  it('finds a word of the list in a comment, at its place in the file', async () => {
    const source = 'const a = 1;\n\n/**\n * For that account alone.\n */\nconst b = 2;\n';
    expect(await findings('a.ts', source)).toEqual(['4:21 "alone": write "only" before the noun']);
  });

  it('reads the text of Markdown and neither its code nor its addresses', async () => {
    const source = 'For it alone.\n\n```sh\nalone\n```\n\n`alone` and [this](alone.md)\n';
    expect(await findings('a.md', source)).toEqual(['1:8 "alone": write "only" before the noun']);
  });

  it.each([
    ['that is left alone', '// The update leaves the days of last use alone.\n'],
    ['that is left alone, over two lines', '/**\n * A flood leaves\n * the others alone.\n */\n'],
    ['after there', '// @returns undefined if there is none.\n'],
    ['after there, in the plural', '// The list is empty if there are none.\n'],
  ])('accepts a word %s', async (_, source) => {
    expect(await findings('a.ts', source)).toEqual([]);
  });

  it.each([
    ['alone', '// The update leaves them. For that account alone.\n'],
    ['is none', '// There it refuses a time that is none.\n'],
  ])('refuses %s if the exception is in another sentence or place', async (word, source) => {
    expect(await findings('a.ts', source)).toEqual([expect.stringContaining(`"${word}": write`)]);
  });
});
