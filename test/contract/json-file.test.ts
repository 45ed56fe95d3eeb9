import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { getDeployment } from '../../cli/deployment.ts';
import { readConfigFile } from '../../lab/local/config-file.ts';
import { readDeploymentConfigFile } from '../../lib/deployment-config-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../config/single-region.json'), 'utf8');

it.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 with a byte order mark, as PowerShell writes', Buffer.from(`\uFEFF${text}`, 'utf16le')],
])('every reader of a config takes %s', (_, bytes) => {
  const folder = temporaryDirectory();
  const path = join(folder, 'mine.json');
  writeFileSync(path, bytes);
  const std = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const io = { ...std, env: {}, cwd: folder };
  const { config } = getDeployment(io, { config: path });
  expect(readDeploymentConfigFile(path)).toEqual(config);
  expect(readConfigFile(path).config).toEqual(config);
});
