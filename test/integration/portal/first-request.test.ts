import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import {
  checkProgram,
  prepareProgram,
  programsOfPage,
} from '../../../lab/suites/examples/first-programs.ts';
import { callCommand, tokenCommand } from '../../../portal/pages/clients/first-request.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService();

/** Runs a command in a shell without a terminal, so curl reads the password from its input. */
async function runInShell(command: string, input: string): Promise<string> {
  const child = spawn('bash', ['-c', command], { detached: true });
  child.stdin.end(input);
  const chunks: string[] = [];
  for await (const chunk of child.stdout.setEncoding('utf8')) chunks.push(String(chunk));
  return chunks.join('');
}

it('the commands of a client’s page get a token and call the API with it', async () => {
  const { issuer, clientId, clientSecret, exampleUrl } = service();
  const answer = await runInShell(tokenCommand({ issuer, clientId }), `${clientSecret}\n`);
  const { access_token: token } = JSON.parse(answer) as { readonly access_token: string };
  const command = callCommand(exampleUrl).replace(
    'curl -i',
    "curl -s -o /dev/null -w '%{http_code}'",
  );
  expect(await runInShell(command, `${token}\n`)).toBe('200');
});

it('the program for JavaScript on a client’s page calls the API', async () => {
  const [program] = programsOfPage(service());
  if (program === undefined) throw new Error('there is no program');
  const prepared = await prepareProgram(program, { caPath: '', directory: '' });
  if ('missing' in prepared) throw new Error(prepared.missing);
  await checkProgram(prepared.command, service(), {});
});
