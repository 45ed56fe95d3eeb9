import { decodeProtectedHeader } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AccessTokenType } from '../../../contract/access-token-type.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { fetchToken, startService } from '../lab/local/use-local-service.ts';

const audience = 'https://api.example.com';

async function start(accessTokenType?: AccessTokenType) {
  const service = await startService({
    port: 0,
    stateDirectory: temporaryDirectory(),
    ...(accessTokenType !== undefined && { accessTokenType }),
  });
  onTestFinished(() => service.close());
  const token = await fetchToken(service);
  const verify = async (type: AccessTokenType) => {
    const verifier = createVerifier({ issuer: service.issuer, audience, accessTokenType: type });
    const authorization = `Bearer ${token}`;
    const verified = verifier.verify({ authorization }, []);
    return verified.then(
      () => 'accepted',
      (error: unknown) => (error as { reason?: string }).reason,
    );
  };
  const callApi = async () => {
    const { status } = await fetch(`${service.issuer}/example/messages`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return status;
  };
  return { token, verify, callApi };
}

describe('the type of access tokens', () => {
  it('is JWT if the deployment says so: token function, authorizer and library follow', async () => {
    const { token, verify, callApi } = await start('JWT');
    expect(decodeProtectedHeader(token).typ).toBe('JWT');
    expect(await callApi()).toBe(200);
    expect(await verify('JWT')).toBe('accepted');
    expect(await verify('at+jwt')).toBe('token_type_not_allowed');
  });

  it('is at+jwt otherwise, which a verifier for JWT also accepts', async () => {
    const { token, verify, callApi } = await start();
    expect(decodeProtectedHeader(token).typ).toBe('at+jwt');
    expect(await callApi()).toBe(200);
    expect(await verify('JWT')).toBe('accepted');
  });
});
