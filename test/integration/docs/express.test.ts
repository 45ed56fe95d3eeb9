import { type ChildProcess, spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../../lab/emulator/loopback-server.ts';
import { codeBlocks, readPage, root } from '../../../lab/support/markdown.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { requestToken, useLocalService } from '../lab/local/use-local-service.ts';

const workspace = makeTemporaryDirectory();
const service = useLocalService({ https: true, stateDirectory: join(workspace.path, '.local') });
let api: ChildProcess | undefined;
let url = '';

/** The first block of the section, with the sources in place of the package. */
function readService(): string {
  const [, section = ''] = readPage('docs/platform-api.md').split('\n### Express\n');
  const [block] = codeBlocks(section);
  return (block?.lines ?? [])
    .join('\n')
    .replaceAll(/'@authorization-server-aws\/verifier(?:\/(\w+))?'/g, (_, entry = 'verifier') =>
      JSON.stringify(join(root, `verifier/${String(entry)}.ts`)),
    );
}

beforeAll(async () => {
  writeFileSync(join(workspace.path, 'messages.mjs'), readService());
  symlinkSync(join(root, 'node_modules'), join(workspace.path, 'node_modules'));
  const port = await findFreePort();
  url = `http://localhost:${port}/messages`;
  api = spawn(process.execPath, ['messages.mjs'], {
    cwd: workspace.path,
    env: { ...process.env, ...service().environment, PORT: String(port) },
    stdio: 'inherit',
  });
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await waitUntil('the API answers', answers, { child: api });
});
afterAll(() => {
  api?.kill();
  workspace.remove();
});

it('the service of the section Express accepts a token of the local run, and no other', async () => {
  const { access_token: token } = (await (await requestToken(service())).json()) as {
    access_token: string;
  };
  const call = (authorization: string) => fetch(url, { headers: { authorization } });
  const accepted = await call(`Bearer ${token}`);
  expect([accepted.status, await accepted.json()]).toEqual([200, { trunkGroup: 'demo' }]);
  expect((await call(`Bearer ${token}x`)).status).toBe(401);
});
