import type { Environment } from '../aws-json/endpoint.ts';
import {
  askSource,
  type CredentialProvider,
  type ExpiringCredentials,
  keepCredentials,
  readCredentials,
} from './credential-provider.ts';

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
