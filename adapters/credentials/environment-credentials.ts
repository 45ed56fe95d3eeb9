import type { Environment } from '../aws-json/endpoint.ts';
import { containerCredentials } from './container-credentials.ts';
import { type CredentialProvider, CredentialsError } from './credential-provider.ts';

/**
 * The keys in the variables. They are read at each call, because Lambda replaces them before they
 * expire.
 */
export function environmentKeys(environment: Environment): CredentialProvider {
  return () => {
    const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
    const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
    if (!accessKeyId || !secretAccessKey) {
      throw new CredentialsError('AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is missing');
    }
    return {
      accessKeyId,
      secretAccessKey,
      sessionToken: environment['AWS_SESSION_TOKEN'] || undefined,
    };
  };
}

/**
 * Credentials as a Lambda function gets them: keys in the environment, or under SnapStart an agent
 * on the host. Other processes have more sources; see `credentialChain`.
 */
export function functionCredentials(environment: Environment): CredentialProvider {
  const agent = environment['AWS_ACCESS_KEY_ID'] ? undefined : containerCredentials(environment);
  return agent ?? environmentKeys(environment);
}
