import { spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../lab/emulator/loopback-server.ts';
import { codeBlocks, readPage, root } from '../../../lab/support/markdown.ts';
import { answers, waitUntil } from '../../../lab/support/wait-until.ts';

/** The first block of the section, with the sources in place of the package. */
function readService(): string {
  const [, section = ''] = readPage('docs/platform-api.md').split('\n### Express\n');
  const [block] = codeBlocks(section);
  return (block?.lines ?? [])
    .join('\n')
    .replaceAll(/'@authorization-server-aws\/verifier(?:\/([\w-]+))?'/g, (_, entry = 'verifier') =>
      JSON.stringify(join(root, `verifier/${String(entry)}.ts`)),
    );
}

/** Starts the service of the page in an empty folder. Its first refusal is that of this function. */
export async function startExpressService(
  folder: string,
  environment: Readonly<Record<string, string>>,
) {
  writeFileSync(join(folder, 'messages.mjs'), readService());
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const PORT = String(await findFreePort());
  const url = `http://localhost:${PORT}/messages`;
  const child = spawn(process.execPath, ['messages.mjs'], {
    cwd: folder,
    env: { ...process.env, ...environment, PORT },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await waitUntil('the API answers', () => answers(url, () => true), { child });
  /** The lines of standard error, when there are as many. */
  const readErrors = async (count: number): Promise<readonly string[]> => {
    const lines = () => errors.split('\n').slice(0, -1);
    await waitUntil('the refusal is logged', () => lines().length >= count, { child });
    return lines();
  };
  return { url, readErrors, close: async () => void child.kill() };
}
