import { readFileSync } from 'node:fs';
import type { Environment } from './endpoint.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Gives the credentials to sign with now; cheap while they are good. */
export type CredentialProvider = () => AwsCredentials | Promise<AwsCredentials>;

/** There are no credentials. Never holds any. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** Container credentials are fetched anew so long before they end, as AWS's own clients do. */
const refreshMarginMs = 5 * 60_000;

/** The agent answers on the same host; longer means that it does not answer. */
const containerTimeoutMs = 1000;

/** The address of the credentials agent of a container, where only a path is given. */
const containerHost = 'http://169.254.170.2';

/** Hosts that may be asked over plain HTTP: loopback, and the agents of ECS and EKS. */
const plainHttpHosts =
  /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/;

function containerUrl(environment: Environment): URL | undefined {
  const relative = environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const full = environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  const text = relative ? containerHost + relative : full;
  if (!text) return undefined;
  const url = new URL(text);
  if (url.protocol === 'https:' || plainHttpHosts.test(url.hostname)) return url;
  throw new CredentialsError(`credentials are not fetched over HTTP from ${url.hostname}`);
}

function containerToken(environment: Environment): string | undefined {
  const file = environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  return file ? readFileSync(file, 'utf8') : environment['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
}

interface ContainerCredentials extends AwsCredentials {
  readonly expiresAt: number;
}

async function fetchContainerCredentials(
  url: URL,
  environment: Environment,
): Promise<ContainerCredentials> {
  const token = containerToken(environment);
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(containerTimeoutMs),
    ...(token && { headers: { Authorization: token } }),
  });
  if (!response.ok) throw new CredentialsError(`the container's agent answered ${response.status}`);
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = body;
  const expiresAt = Date.parse(String(Expiration));
  if (
    typeof AccessKeyId !== 'string' ||
    typeof SecretAccessKey !== 'string' ||
    typeof Token !== 'string' ||
    Number.isNaN(expiresAt)
  ) {
    throw new CredentialsError("the container's agent answered without credentials");
  }
  const sessionToken = Token;
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken, expiresAt };
}

/** Fetches once for all who wait, and again when the end comes near. */
function createContainerProvider(url: URL, environment: Environment): CredentialProvider {
  let known: ContainerCredentials | undefined;
  let fetching: Promise<ContainerCredentials> | undefined;

  async function refresh(): Promise<ContainerCredentials> {
    try {
      known = await fetchContainerCredentials(url, environment);
      return known;
    } catch (error) {
      // What is still good is used; the next call tries again.
      if (known !== undefined && known.expiresAt > Date.now()) return known;
      if (error instanceof CredentialsError) throw error;
      throw new CredentialsError("the container's agent did not answer", { cause: error });
    } finally {
      fetching = undefined;
    }
  }

  return () => {
    if (known !== undefined && known.expiresAt - Date.now() > refreshMarginMs) return known;
    fetching ??= refresh();
    return fetching;
  };
}

/**
 * Credentials as a Lambda function gets them. Where the variables hold keys, those are read at
 * each call, and Lambda replaces the environment before they end; under SnapStart and in
 * containers an agent on the host hands them out, with an end. Profiles, SSO and instance roles
 * are for people's machines: there the SDK's clients serve.
 */
export function createCredentialProvider(environment: Environment): CredentialProvider {
  const url = environment['AWS_ACCESS_KEY_ID'] ? undefined : containerUrl(environment);
  if (url !== undefined) return createContainerProvider(url, environment);
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
