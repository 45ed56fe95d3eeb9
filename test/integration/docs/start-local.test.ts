import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { codeBlocks, readPage, root } from '../../../lab/support/markdown.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';

/*
 * The test of packages/local/README.md, word for word, with the service of the section Express as
 * the API under test. With PYTHON, which the suite `examples` sets, the API is that of FastAPI.
 */

const workspace = makeTemporaryDirectory();
afterAll(() => workspace.remove());

const block = codeBlocks(readPage('packages/local/README.md')).find(
  ({ language }) => language === 'ts',
);
const helper = process.env['PYTHON'] === undefined ? 'start-express.ts' : 'start-fastapi.ts';
const path = join(workspace.path, 'readme.test.ts');
writeFileSync(
  path,
  (block?.lines ?? [])
    .join('\n')
    .replace(
      "'@authorization-server-aws/local'",
      JSON.stringify(join(root, 'lab/local/library.ts')),
    )
    .replace("'./start-api.ts'", JSON.stringify(join(import.meta.dirname, helper)))
    .replace("'vitest'", JSON.stringify(join(root, 'node_modules/vitest/dist/index.js'))),
);
await import(path);
