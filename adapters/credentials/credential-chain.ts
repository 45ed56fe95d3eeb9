import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../aws-json/endpoint.ts';
import { inTime } from '../deadline.ts';
import {
  type AwsCredentials,
  type CredentialProvider,
  CredentialsError,
} from './credential-provider.ts';
import { containerCredentials, environmentKeys } from './environment-credentials.ts';

/**
 * Chooses the source of credentials of a process outside Lambda: a named profile, keys in the
 * environment, IRSA, a container's agent (ECS, EKS Pod Identity), and what else AWS's own package
 * knows: the files of AWS's tools and the instance's role. The environment says which of them exists.
 */
export function credentialChain(environment: Environment): CredentialProvider {
  if (environment['AWS_PROFILE']) return packageCredentials(environment);
  if (environment['AWS_ACCESS_KEY_ID']) return environmentKeys(environment);
  const hasWebIdentity = Boolean(environment['AWS_WEB_IDENTITY_TOKEN_FILE']);
  const agent = hasWebIdentity ? undefined : containerCredentials(environment);
  return agent ?? packageCredentials(environment);
}

async function loadProvider(region: string | undefined): Promise<CredentialProvider> {
  try {
    // A literal, so a bundler keeps it as an import that may fail.
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    // Version 1 of instance metadata also answers requests that an attacker tricks a server into making.
    return defaultProvider({ ec2MetadataV1Disabled: true, clientConfig: { region } });
  } catch (cause) {
    throw new CredentialsError(
      'profiles, IRSA and instance roles need the package @aws-sdk/credential-provider-node: install it next to this one, or use keys in the environment or the role of a container (ECS, EKS Pod Identity)',
      { cause },
    );
  }
}

/** Milliseconds. A source can start a program, or ask several services. */
const usualTimeout = 5000;

/**
 * Credentials of the SDK's own chain. The package is loaded at the first call, if it is installed.
 * The SDK waits without end, also for the same answer again. So after a timeout, another call begins
 * from the start.
 */
export function packageCredentials(
  { AWS_REGION: region }: Environment,
  timeout = usualTimeout,
): CredentialProvider {
  let loading: Promise<CredentialProvider> | undefined;
  return async () => {
    loading ??= loadProvider(region);
    const provide = await loading;
    return inTime(timeout, undefined, (signal) => {
      const overdue = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          loading = undefined;
          const cause: unknown = signal.reason;
          reject(new CredentialsError('the source of credentials does not answer', { cause }));
        });
      });
      return Promise.race([provideNamed(provide), overdue]);
    });
  };
}

/** @throws {CredentialsError} with what the SDK says; after its last source, that there are none. */
async function provideNamed(provide: CredentialProvider): Promise<AwsCredentials> {
  try {
    return await provide();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'CredentialsProviderError') throw cause;
    const isLast = cause.message.startsWith('Could not load credentials from any');
    throw new CredentialsError(isLast ? 'there are none' : cause.message, { cause });
  }
}

/** The `region` of a profile in the config file: `[default]` or `[profile NAME]`. */
export function profileRegion(environment: Environment): string | undefined {
  const home = environment['HOME'] || homedir();
  const file = environment['AWS_CONFIG_FILE'] || join(home, '.aws', 'config');
  if (!existsSync(file)) return undefined;
  const profile = environment['AWS_PROFILE'] || 'default';
  const sections = new Set([profile, `profile ${profile}`]);
  let section = '';
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    section = /^\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? section;
    const region = /^region\s*=\s*([a-z0-9-]+)\s*$/.exec(line)?.[1];
    if (region !== undefined && sections.has(section)) return region;
  }
  return undefined;
}
