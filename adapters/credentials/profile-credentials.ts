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

/**
 * Credentials of the SDK's own chain. The package is loaded at the first call, if it is installed.
 */
export function profileCredentials(): CredentialProvider {
  let loading: Promise<CredentialProvider> | undefined;
  return async () => {
    loading ??= loadProvider();
    const provide = await loading;
    return provide();
  };
}
