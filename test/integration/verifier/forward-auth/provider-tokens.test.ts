import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerHeaders } from '../../../../contract/caller-headers.ts';
import { useLocalCli } from '../../cli/use-authctl.ts';
import { type OidcProvider, startOidcProvider } from '../oidc-provider.ts';
import { type Answer, bearer, send, useForwardAuth } from './use-forward-auth.ts';

const { json, service } = useLocalCli();
const erp = { clientId: 'erp', clientSecret: 'erp-secret-of-the-other-provider' };
const folder = mkdtempSync(join(tmpdir(), 'forward-auth-'));
const caFile = join(folder, 'provider.pem');
let provider: OidcProvider;

beforeAll(async () => {
  provider = await startOidcProvider([erp]);
  writeFileSync(caFile, provider.certificate);
});
afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true });
});

const check = useForwardAuth(service, ['--tables', 'local'], () => ({
  NODE_EXTRA_CA_CERTS: caFile,
}));

function ask(path: string, headers: readonly string[]): Promise<Answer> {
  return send(check().address, path, headers);
}

function callerOf({ headers }: Answer): Readonly<Record<string, unknown>> {
  const names = Object.values(callerHeaders).map((name) => name.toLowerCase());
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

describe("a provider's token", () => {
  async function fetchToken(): Promise<string> {
    return provider.fetchToken(erp, service().environment['AUDIENCE'] ?? '');
  }

  it('is refused until its issuer is registered, and accepted for what its client may do here', async () => {
    const foreign = await fetchToken();
    expect((await ask('/verify/messaging:view', bearer(foreign))).status).toBe(401);
    await json(['provider', 'register', provider.discoveryUrl]);
    const base = ['client', 'create', '--name', 'ERP', '--trunk-group', 'tg-7'];
    const at = ['--provider', provider.issuer, '--external-client-id', erp.clientId];
    const client = await json([...base, '--scope', 'messaging:view', ...at]);
    // Tokens from before the client are refused, and a busy machine takes seconds until here.
    const token = await fetchToken();
    const answer = await ask('/verify/messaging:view', bearer(token));
    expect(answer.status).toBe(200);
    expect(callerOf(answer)).toEqual({
      'x-auth-credential': 'access_token',
      'x-auth-client-id': client['client_id'],
      'x-auth-scope': 'messaging:view',
      'x-auth-service-trunk-group': 'tg-7',
      'x-auth-issuer': provider.issuer,
      'x-auth-key-id': '',
    });
    expect((await ask('/verify/messaging:manage', bearer(token))).status).toBe(403);
  });
});
