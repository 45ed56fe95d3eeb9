import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { fetchToken, useLocalService } from '../lab/local/use-local-service.ts';
import { startExpressService } from './express-service.ts';

const workspace = makeTemporaryDirectory();
const service = useLocalService({ https: true, stateDirectory: join(workspace.path, '.local') });
let api: Awaited<ReturnType<typeof startExpressService>>;

beforeAll(async () => {
  api = await startExpressService(workspace.path, service().environment);
});
afterAll(async () => {
  await api.close();
  workspace.remove();
});

async function call(authorization: string) {
  const response = await fetch(api.url, { headers: { authorization } });
  return [response.status, await response.json()] as const;
}

describe('the service of the section Express', () => {
  it('accepts tokens and API keys of the local run', async () => {
    const token = await fetchToken(service());
    const caller = (credential: string) => ({ credential, serviceTrunkGroup: 'demo' });
    expect(await call(`Bearer ${token}`)).toEqual([200, caller('access_token')]);
    expect(await call(`Bearer ${service().apiKey}`)).toEqual([200, caller('api_key')]);
  });

  it('logs each refusal with its reason, and without the credential', async () => {
    const wrong = 'eyJhbGciOiJub25lIn0.e30.';
    expect((await call(`Bearer ${wrong}`))[0]).toBe(401);
    const lines = await api.readErrors(2);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'INFO', message: 'no_credential', reason: 'no_credential' },
      { reason: 'issuer_unknown', expected: expect.stringMatching(/^https:.+, or the issuer of/) },
    ]);
    expect(lines.join('\n')).not.toContain(wrong.slice(0, 20));
  });
});
