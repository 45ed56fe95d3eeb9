import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quoteWord } from '../../contract/shell-word.ts';

const evaluated = [
  '$(id)',
  '`id`',
  ';id',
  '&id',
  '|id',
  '>id',
  '(a)',
  "it's",
  '"a',
  '$HOME',
  '*',
  'a b',
  '!1',
];

describe('a word of a hint', () => {
  it.each([
    'https://idp.example.com/a',
    ...evaluated.map((text) => `https://idp.example.com/${text}`),
  ])('is read by a shell as it is: %s', (word) => {
    const read = execFileSync('sh', ['-c', `printf %s ${quoteWord(word)}`], { encoding: 'utf8' });
    expect(read).toBe(word);
  });
});
