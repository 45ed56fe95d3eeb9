import { readFileSync } from 'node:fs';
import { requestOnce } from '../aws-json/connection.ts';
import type { Environment } from '../aws-json/endpoint.ts';
import {
  type CredentialProvider,
  CredentialsError,
  type ExpiringCredentials,
  keepCredentials,
  readCredentials,
} from './credential-provider.ts';

/** The keys in the variables, read at each call: Lambda replaces them before they expire. */
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

/** Milliseconds. The agent runs on the same host. If it takes longer, it will not answer. */
const timeout = 1000;

/** The credentials agent of ECS, if the environment gives only a path. */
const ecsAgent = 'http://169.254.170.2';

/** Hosts that may be called over plain HTTP: loopback, and the agents of ECS and EKS. */
const plainHttpHosts =
  /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/;

const source = "the container's agent";

function agentUrl(environment: Environment): URL | undefined {
  const relative = environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const full = environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  const text = relative ? ecsAgent + relative : full;
  if (!text) return undefined;
  const url = new URL(text);
  if (url.protocol === 'https:' || plainHttpHosts.test(url.hostname)) return url;
  throw new CredentialsError(`credentials are not fetched over HTTP from ${url.hostname}`);
}

function agentToken(environment: Environment): string | undefined {
  const file = environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  return file ? readFileSync(file, 'utf8') : environment['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
}

async function fetchFromAgent(url: URL, environment: Environment): Promise<ExpiringCredentials> {
  const token = agentToken(environment)?.trim();
  const headers = token ? { Authorization: token } : undefined;
  const { status, body } = await requestOnce(url, { method: 'GET', headers, timeout });
  if (status === 200) return readCredentials(source, body);
  throw new CredentialsError(`${source} answered ${status}`, { httpStatus: status });
}

/**
 * Credentials of the agent that ECS, EKS Pod Identity and Lambda SnapStart run next to a process.
 *
 * @returns undefined if the environment names no agent.
 * @throws {CredentialsError} if the agent is on another host without TLS.
 */
export function containerCredentials(environment: Environment): CredentialProvider | undefined {
  const url = agentUrl(environment);
  return url && keepCredentials(source, () => fetchFromAgent(url, environment));
}
