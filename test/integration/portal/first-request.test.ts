import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { callCommand, tokenCommand } from '../../../portal/pages/clients/next-steps.ts';
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
  const answer = await runInShell(tokenCommand(clientId, issuer), `${clientSecret}\n`);
  const { access_token: token } = JSON.parse(answer) as { readonly access_token: string };
  const command = callCommand(exampleUrl).replace(
    'curl -i',
    "curl -s -o /dev/null -w '%{http_code}'",
  );
  expect(await runInShell(command, `${token}\n`)).toBe('200');
});
