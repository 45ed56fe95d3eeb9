import { readFileSync } from 'node:fs';
import { requestOnce } from '../aws-json/connection.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';
import {
  type CredentialProvider,
  CredentialsError,
  type ExpiringCredentials,
  keepCredentials,
} from './credential-provider.ts';

/** Milliseconds. STS answers within a second from its own region. */
const timeout = 5000;

const source = 'STS';
const defaultSessionName = 'authorization-server-verifier';

/** STS answers in XML. Credentials contain no character that XML escapes. */
function element(xml: string, name: string): string {
  const value = new RegExp(`<${name}>([^<&]+)</${name}>`).exec(xml)?.[1];
  if (value === undefined) throw new CredentialsError(`${source} answered without ${name}`);
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
    timeout,
  });
  if (status !== 200) {
    const message = `${source} refuses the role ${role.arn}: ${errorCode(xml)}`;
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
  return keepCredentials(source, () => assumeRole(url, { arn, tokenFile, sessionName }));
}
