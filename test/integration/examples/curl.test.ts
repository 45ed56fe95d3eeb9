import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withScriptedService } from '../../../lab/suites/examples/check-callers.ts';
import { type Command, runCommand } from '../../../lab/support/run-command.ts';
import { trustVariables } from '../../../lab/support/runtimes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const file = join(import.meta.dirname, '../../../examples/curl/get-token.sh');
const service = useLocalService({});

/** As a script, and pasted into a step of CI, which is a text that bash runs. */
const ways: readonly { readonly name: string; readonly command: Command }[] = [
  { name: 'as a script of sh', command: ['sh', file] },
  { name: 'as a script of bash', command: ['bash', file] },
  // A step of CI is a text that bash runs.
  { name: 'in a step of CI', command: ['bash', '-e', '-c', readFileSync(file, 'utf8')] },
];

describe.each(ways)('get-token.sh $name', ({ command }) => {
  const run = (cache: string, environment: Readonly<Record<string, string>>) =>
    runCommand(command, {
      environment: { ...service().environment, ...environment, TOKEN_CACHE: cache },
    });
  const called = (status: number) => expect.stringContaining(`/messages ${status}\n`);

  it('says what the service says of a wrong secret, fails, and keeps nothing', async () => {
    const cache = temporaryDirectory();
    const { code, output } = await run(cache, { CLIENT_SECRET: 'secret_of_no_client' });
    expect(output).toContain('"error_description":"client authentication failed"');
    expect(code).toBe(1);
    expect(readdirSync(cache)).toEqual([]);
  });

  it('gives the token of a client to no other client and to no other server', async () => {
    const cache = temporaryDirectory();
    const good = await run(cache, {});
    expect(good).toMatchObject({ code: 0, stdout: called(200) });
    expect(readdirSync(cache)).toHaveLength(1);
    const other = { CLIENT_ID: 'client_0000000000000000000001', CLIENT_SECRET: 'secret_x' };
    expect(await run(cache, other)).toMatchObject({ code: 1 });
    const url = { TOKEN_URL: service().tokenUrl.replace('localhost', '127.0.0.1') };
    expect(await run(cache, url)).toMatchObject({ code: 0 });
    expect(readdirSync(cache)).toHaveLength(2);
  });

  it('replaces a token that the API refuses, once, and waits after 503', async () => {
    await withScriptedService(async (scripted, { caPath }) => {
      const cache = temporaryDirectory();
      const environment = { ...scripted.environment, ...trustVariables(caPath) };
      scripted.play({ status: 503 });
      expect(await run(cache, environment)).toMatchObject({ code: 0, stdout: called(200) });
      const [first = 0, second = 0] = scripted.takeRequests();
      expect(second - first).toBeGreaterThanOrEqual(1000);
      scripted.refuseTokens();
      expect(await run(cache, environment)).toMatchObject({ code: 0, stdout: called(200) });
      expect(scripted.takeRequests()).toHaveLength(1);
      scripted.refuseTokens(2);
      expect(await run(cache, environment)).toMatchObject({ code: 1, stdout: called(401) });
      expect(scripted.takeRequests()).toHaveLength(1);
    });
  });
});
