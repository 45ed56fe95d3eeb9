import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createAwsClients } from '../../../adapters/aws-clients.ts';
import { createDynamoDbIdentityProviderStore } from '../../../adapters/dynamodb/identity-provider-store.ts';
import { temporaryDirectory } from '../lab/local/temporary-directory.ts';
import { useLocalCli } from './use-authctl.ts';

const { service } = useLocalCli();
const run = promisify(execFile);
const authctl = resolve(import.meta.dirname, '../../../cli/authctl.ts');

/** What bash offers at the end of a line, after the completion was sourced twice. */
async function complete(line: string): Promise<readonly string[]> {
  const script = `
    source <("$NODE" "$AUTHCTL" complete bash)
    source <("$NODE" "$AUTHCTL" complete bash)
    COMP_LINE="$LINE" COMP_POINT=\${#LINE}
    read -r -a COMP_WORDS <<< "$LINE"
    case "\${COMP_WORDS[0]}" in npx) _authctl_complete_npx ;; *) _authctl_complete ;; esac
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  // No authctl in the path: as in a clone, if only npx finds it.
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE: process.execPath,
    AUTHCTL: authctl,
    LINE: line,
  };
  const cwd = dirname(service().paths.directory);
  const { stdout, stderr } = await run('bash', ['--norc', '--noprofile', '-c', script], {
    env,
    cwd,
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('the completion of bash', () => {
  it.each([
    ['authctl client cr', ['create']],
    ['npx --no -- authctl client cr', ['create']],
    ['npx authctl client cr', ['create']],
    ['npx other authctl client cr', ['']],
    ['npx --no -- authctl client-secret rotate x --expire-o', ['--expire-old-in']],
    // After a colon, readline replaces only the rest.
    ['npx --no -- authctl --local client create --scope messaging:v', ['view']],
    ['npx --no -- authctl client create --local --scope call', ['calls:view', 'calls:manage']],
  ])('offers at the end of "%s"', async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });

  it('evaluates nothing that was typed', async () => {
    const path = join(temporaryDirectory(), 'made');
    expect(await complete(`authctl client show $(touch ${path}) --js`)).toEqual(['--json']);
    expect(existsSync(path)).toBe(false);
  });

  it('offers ids', async () => {
    const { clientId, apiKey } = service();
    expect(await complete('npx --no -- authctl --local client show ')).toEqual([clientId]);
    expect(await complete('authctl client show --local client_')).toEqual([clientId]);
    const [keyId = ''] = await complete('authctl --local api-key show ');
    expect(keyId).toMatch(/^key_/);
    expect(apiKey).not.toBe(keyId);
    expect(await complete('authctl --local explain token --client-id ')).toEqual([clientId]);
  });

  it('offers no issuer that a shell would evaluate, as earlier releases registered them', async () => {
    const { dynamodb } = createAwsClients(service().aws);
    const store = createDynamoDbIdentityProviderStore(dynamodb, 'local-identity-providers');
    for (const issuer of ['https://idp.example.com/a', 'https://idp.example.com/$(id);b']) {
      await store.createIdentityProvider({
        issuer,
        registrationId: 'registration_1',
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        jwksUri: `${issuer}/keys`,
        allowedAlgorithms: ['RS256'],
        registeredAt: 1_800_000_000,
      });
    }
    expect(await complete('authctl --local provider show ')).toEqual(['https://idp.example.com/a']);
  });

  it('offers nothing, and says nothing, if the deployment cannot be read', async () => {
    expect(await complete('authctl client show --config none.json ')).toEqual(['']);
  });
});
