import { describe, expect, it, vi } from 'vitest';
import { CredentialsError } from '../../../adapters/credentials/credential-provider.ts';
import { defaultProvider } from '../../../lambda/shared/sdk-credentials.ts';

describe('credentials of the AWS SDK in a function', () => {
  it('are the keys in its environment, also after Lambda replaced them', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAFIRST');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret of the test');
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    const provide = defaultProvider();
    expect(await provide()).toEqual({
      accessKeyId: 'ASIAFIRST',
      secretAccessKey: 'secret of the test',
      sessionToken: 'session',
    });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIASECOND');
    expect(await provide()).toMatchObject({ accessKeyId: 'ASIASECOND' });
    vi.unstubAllEnvs();
  });

  it('are an error without them, and never those of a profile', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', '');
    vi.stubEnv('AWS_PROFILE', 'someone');
    await expect(defaultProvider()()).rejects.toThrow(CredentialsError);
    vi.unstubAllEnvs();
  });
});
