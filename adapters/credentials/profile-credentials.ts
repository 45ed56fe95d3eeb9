import { inTime } from '../deadline.ts';
import { type CredentialProvider, CredentialsError } from './credential-provider.ts';

/** AWS's own package for profiles: SSO, assumed roles, external processes. */
const packageName = '@aws-sdk/credential-provider-node';

async function loadProvider(): Promise<CredentialProvider> {
  try {
    // A literal, so a bundler keeps it as an import that may fail.
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    return defaultProvider();
  } catch (cause) {
    throw new CredentialsError(
      `profiles need the package ${packageName}: install it next to this one, or use keys in the environment, a container role, IRSA or an instance role`,
      { cause },
    );
  }
}

/** Milliseconds. A profile can start a program, or ask several services. */
const usualTimeout = 5000;

/**
 * Credentials of the SDK's own chain. The package is loaded at the first call, if it is installed.
 * The SDK waits without end, also for the same answer again. So after a timeout, another call begins
 * from the start.
 */
export function profileCredentials(timeout = usualTimeout): CredentialProvider {
  let loading: Promise<CredentialProvider> | undefined;
  return async () => {
    loading ??= loadProvider();
    const provide = await loading;
    return inTime(timeout, undefined, (signal) => {
      const overdue = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          loading = undefined;
          const cause: unknown = signal.reason;
          reject(new CredentialsError('the source of the profile does not answer', { cause }));
        });
      });
      return Promise.race([provide(), overdue]);
    });
  };
}
