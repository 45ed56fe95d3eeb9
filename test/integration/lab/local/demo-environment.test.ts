import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDemoEnvironment } from '../../../../contract/demo-environment.ts';
import { formatDemoEnvironment } from '../../../../lab/local/demo-environment.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const values = [
  'plain',
  '',
  'with spaces',
  "it's",
  '"double"',
  '$HOME `id` $(id) ${x}',
  'back\\slash\\',
  'a\nb',
  '# no comment',
  '*?[a]',
  '!history',
  "'''",
];

describe('demo.env', () => {
  it.each([
    ['sh', []],
    ['bash', ['--norc']],
  ])('gives every value to %s as it is', (shell, flags) => {
    const file = join(temporaryDirectory(), 'demo env');
    const environment = Object.fromEntries(values.map((value, index) => [`V${index}`, value]));
    writeFileSync(file, formatDemoEnvironment(environment));
    const script = `set -a; . "$1"; set +a; exec "${process.execPath}" -e 'process.stdout.write(JSON.stringify(process.env))'`;
    const output = execFileSync(shell, [...flags, '-ec', script, shell, file], {
      env: {},
      encoding: 'utf8',
    });
    expect(JSON.parse(output)).toMatchObject(environment);
  });

  it('gives every value to authctl as it is', () => {
    const environment = Object.fromEntries(values.map((value, index) => [`V${index}`, value]));
    expect(parseDemoEnvironment(formatDemoEnvironment(environment))).toEqual(environment);
  });
});
