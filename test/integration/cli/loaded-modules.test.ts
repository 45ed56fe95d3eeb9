import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { programEnvironment } from '../../../lab/support/program-environment.ts';
import { useLocalCli } from './use-authctl.ts';

const { service } = useLocalCli();
const run = promisify(execFile);
const authctl = resolve(import.meta.dirname, '../../../cli/authctl.ts');

/** Prints the URL of each module that the process loads. */
const hook = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      process.stderr.write('loads ' + url + '\\n');
      return next(url, context);
    },
  });
`)}`;

/** Which packages of AWS a command loads. */
async function loadedBy(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const env = { ...service().environment, ...more, ...programEnvironment() };
  const { stderr } = await run(process.execPath, ['--import', hook, authctl, ...args], {
    env,
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stderr).toContain('cli/authctl.ts');
  const packages = [...stderr.matchAll(/^loads .*?(@aws-sdk\/(?:client|lib)-[\w-]+|@smithy)/gm)];
  return [...new Set(packages.map(([, name = '']) => name))].toSorted();
}

describe('authctl loads', () => {
  it.each([[['--help']], [['--version']], [['client', 'create', '--help']]])(
    'no AWS SDK for %j',
    async (args) => {
      expect(await loadedBy(args)).toEqual([]);
    },
  );

  it.each([[['client', 'list']], [['audit', 'list']]])(
    'only the client of Lambda for %j',
    async (args) => {
      expect(await loadedBy(args)).toEqual(['@aws-sdk/client-lambda', '@smithy']);
    },
  );

  it.each([
    ['client', 'show', '$client'],
    ['signing-key', 'list'],
  ])('only the client of DynamoDB for %s %s on the tables', async (...words) => {
    const args = words.map((word) => (word === '$client' ? service().clientId : word));
    expect(await loadedBy(args, { AUTHCTL_THROUGH: 'tables' })).toEqual([
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      '@smithy',
    ]);
  });
});
