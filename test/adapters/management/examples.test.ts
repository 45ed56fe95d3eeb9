import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operations } from '../../../core/management/operations.ts';
import { root } from '../../architecture/source-files.ts';

const plain = (text: string) => text.replace(/\s+/g, ' ');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const documented = new Map(
  [
    ...read('core/management/operations.ts').matchAll(
      /^ {2}\/\*\*\n((?: {3}\*.*\n)+?) {3}\*\/\n {2}(\w+)(?:: [\w.]+)?,$/gm,
    ),
  ].map(([, comment = '', name = '']) => [name, plain(comment.replace(/^ {3}\* ?/gm, ''))]),
);

it.each(Object.keys(operations))('says what %s does, with an example that compiles', (name) => {
  const [meaning = '', example = ''] = documented.get(name)?.split(' @example ') ?? [];
  expect(meaning).toMatch(/^.{20,}/);
  expect(example).toContain(`management.${name}(`);
  expect(plain(read('test/adapters/management/examples.ts'))).toContain(example.trim());
});
