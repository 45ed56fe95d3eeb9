import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isPlainWord, quoteWord } from '../../contract/shell-word.ts';

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

describe('a value of the completion', () => {
  it.each(evaluated)('is not offered with %s in it', (text) => {
    expect(isPlainWord(`https://idp.example.com/${text}`)).toBe(false);
  });

  it.each([
    'https://login.microsoftonline.com/8f3c-11/v2.0',
    'https://idp.example.com:8443/realms/a_b~c',
    '-kid_of-43-characters',
    'messaging:view',
    '/home/me/config.json',
  ])('may be %s', (word) => {
    expect(isPlainWord(word)).toBe(true);
  });
});
