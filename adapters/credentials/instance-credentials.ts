import type { Environment } from '../aws-json/endpoint.ts';
import {
  type CredentialProvider,
  CredentialsError,
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

async function request(url: URL, init: RequestInit): Promise<string> {
  const signal = AbortSignal.timeout(timeout);
  const response = await fetch(url, { redirect: 'error', signal, ...init });
  if (!response.ok) {
    const { status } = response;
    throw new CredentialsError(`${source} answered ${status}`, { httpStatus: status });
  }
  return response.text();
}

async function fetchFromMetadata(base: URL): Promise<ExpiringCredentials> {
  const token = await request(new URL('/latest/api/token', base), {
    method: 'PUT',
    headers: { [`${tokenHeader}-ttl-seconds`]: String(tokenLife) },
  });
  const headers = { [tokenHeader]: token };
  const role = (await request(new URL(rolePath, base), { headers })).trim();
  const answer = await request(new URL(rolePath + encodeURIComponent(role), base), { headers });
  try {
    return readCredentials(source, JSON.parse(answer));
  } catch (error) {
    // The JSON parser's own error would quote the answer.
    if (error instanceof CredentialsError) throw error;
    throw new CredentialsError(`${source} answered without credentials`);
  }
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
