import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { requestOnce } from '../aws-json/connection.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';
import { inTime } from '../deadline.ts';
import {
  askSource,
  type CredentialProvider,
  CredentialsError,
  type ExpiringCredentials,
  keepCredentials,
  readCredentials,
} from './credential-provider.ts';
import { containerCredentials, environmentKeys } from './environment-credentials.ts';

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

/** Milliseconds, the same as in AWS's own clients. The metadata service is on the same host. */
const timeout = 1000;

/** Lifetime of the session token in seconds. It is used at once, so a short one is enough. */
const tokenLife = 60;

const source = 'the instance metadata service';
const tokenHeader = 'x-aws-ec2-metadata-token';
const rolePath = '/latest/meta-data/iam/security-credentials/';

function metadataUrl(environment: Environment): URL {
  const configured = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'];
  if (configured) return new URL(configured);
  const mode = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE']?.toLowerCase();
  return new URL(mode === 'ipv6' ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254');
}

async function fetchFromMetadata(base: URL): Promise<ExpiringCredentials> {
  const ask = (path: string, method: 'GET' | 'PUT', headers: Readonly<Record<string, string>>) =>
    askSource(source, new URL(path, base), { method, headers, timeout });
  const life = { [`${tokenHeader}-ttl-seconds`]: String(tokenLife) };
  const headers = { [tokenHeader]: await ask('/latest/api/token', 'PUT', life) };
  const role = (await ask(rolePath, 'GET', headers)).trim();
  return readCredentials(source, await ask(rolePath + encodeURIComponent(role), 'GET', headers));
}

/**
 * Credentials of the role of an EC2 instance, by version 2 of the metadata service only: version 1
 * also answers requests that an attacker tricks a server into making.
 *
 * @returns undefined if AWS_EC2_METADATA_DISABLED is `true`.
 */
export function instanceCredentials(environment: Environment): CredentialProvider | undefined {
  if (environment['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined;
  const base = metadataUrl(environment);
  return keepCredentials(source, () => fetchFromMetadata(base));
}

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

/** The files that AWS's own tools keep profiles in. */
function configFiles(environment: Environment): readonly string[] {
  const folder = join(environment['HOME'] || homedir(), '.aws');
  return [
    environment['AWS_CONFIG_FILE'] || join(folder, 'config'),
    environment['AWS_SHARED_CREDENTIALS_FILE'] || join(folder, 'credentials'),
  ];
}

function hasSharedConfig(environment: Environment): boolean {
  return configFiles(environment).some((file) => existsSync(file));
}

/** The `region` of a profile in the config file: `[default]` or `[profile NAME]`. */
export function profileRegion(environment: Environment): string | undefined {
  const [file = ''] = configFiles(environment);
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

/** Milliseconds. STS answers within a second from its own region. */
const tokenTimeout = 5000;

const defaultSessionName = 'authorization-server-verifier';

/** STS answers in XML. Credentials contain no character that XML escapes. */
function element(xml: string, name: string): string {
  const value = new RegExp(`<${name}>([^<&]+)</${name}>`).exec(xml)?.[1];
  if (value === undefined) throw new CredentialsError(`STS answered without ${name}`);
  return value;
}

/**
 * STS's error code, a word such as `InvalidIdentityToken`. No other part of the response is shown.
 */
function errorCode(xml: string): string {
  return /<Code>(\w+)<\/Code>/.exec(xml)?.[1] ?? 'an error without a code';
}

async function assumeRole(
  url: URL,
  role: { readonly arn: string; readonly tokenFile: string; readonly sessionName: string },
): Promise<ExpiringCredentials> {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role.arn,
    RoleSessionName: role.sessionName,
    // Kubernetes replaces the file before its token expires.
    WebIdentityToken: readFileSync(role.tokenFile, 'utf8').trim(),
  });
  const { status, body: xml } = await requestOnce(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    timeout: tokenTimeout,
  });
  if (status !== 200) {
    const message = `STS refuses the role ${role.arn}: ${errorCode(xml)}`;
    throw new CredentialsError(message, { httpStatus: status });
  }
  return {
    accessKeyId: element(xml, 'AccessKeyId'),
    secretAccessKey: element(xml, 'SecretAccessKey'),
    sessionToken: element(xml, 'SessionToken'),
    expiresAt: Date.parse(element(xml, 'Expiration')),
  };
}

/**
 * Credentials of the role that a Kubernetes service account has (IRSA): the token in a file is
 * exchanged at STS. The request needs no signature.
 *
 * @returns undefined if the environment names no such role.
 */
export function webIdentityCredentials(environment: Environment): CredentialProvider | undefined {
  const arn = environment['AWS_ROLE_ARN'];
  const tokenFile = environment['AWS_WEB_IDENTITY_TOKEN_FILE'];
  if (!arn || !tokenFile) return undefined;
  const { url } = resolveEndpoint('sts', environment);
  const sessionName = environment['AWS_ROLE_SESSION_NAME'] || defaultSessionName;
  return keepCredentials('STS', () => assumeRole(url, { arn, tokenFile, sessionName }));
}
