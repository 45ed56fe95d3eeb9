import type { Environment } from '../aws-json/endpoint.ts';
import { containerCredentials } from './container-credentials.ts';
import { type CredentialProvider, CredentialsError } from './credential-provider.ts';
import { environmentKeys } from './environment-credentials.ts';
import { instanceCredentials } from './instance-credentials.ts';
import { profileCredentials } from './profile-credentials.ts';
import { hasSharedConfig } from './shared-config.ts';
import { webIdentityCredentials } from './web-identity-credentials.ts';

const noSource: CredentialProvider = () => {
  throw new CredentialsError('there are none');
};

/**
 * Chooses the source of credentials of a process outside Lambda: the first of a named profile, keys
 * in the environment, IRSA, a container's agent (ECS, EKS Pod Identity), the files of AWS's tools,
 * and the instance's role. The environment says which of them exists. A source that it does not
 * name is never tried: a wrong role is an error, never another identity.
 */
export function credentialChain(environment: Environment): CredentialProvider {
  if (environment['AWS_PROFILE']) return profileCredentials();
  if (environment['AWS_ACCESS_KEY_ID']) return environmentKeys(environment);
  return (
    webIdentityCredentials(environment) ??
    containerCredentials(environment) ??
    (hasSharedConfig(environment) ? profileCredentials() : undefined) ??
    instanceCredentials(environment) ??
    noSource
  );
}
