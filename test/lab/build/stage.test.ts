import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkTargets } from '../../../lab/build/stage.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('refuses a package without a file that its entries or commands name', () => {
  const folder = temporaryDirectory();
  const manifest = {
    name: '@acme/made',
    version: '1.0.0',
    engines: { node: '>=22' },
    exports: { '.': { types: './dist/made.d.ts', default: './dist/made.js' }, './all': './all.js' },
    bin: { made: 'bin/made.js' },
  };
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/made.js'), '');
  expect(() => checkTargets({ manifest, folder })).toThrow(
    '@acme/made lacks ./dist/made.d.ts, ./all.js, bin/made.js; run "npm run build" first',
  );
});
