import { functionCredentials } from '../../adapters/credentials/environment-credentials.ts';

/**
 * What `@aws-sdk/credential-provider-node` is in the bundles of functions (lab/build/main.ts). The
 * SDK's own chain also knows profiles, IAM Identity Center and EC2, which no function has: a fifth of
 * the management function.
 *
 * @returns a provider that rejects with CredentialsError if the function has no credentials.
 */
export function defaultProvider() {
  const provide = functionCredentials(process.env);
  return async () => provide();
}
