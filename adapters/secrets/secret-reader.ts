import { ServiceUnavailableError } from '../../core/errors.ts';
import { createAwsJsonClient } from '../aws-json/aws-json-client.ts';
import type { Environment } from '../aws-json/endpoint.ts';
import { callProfiles } from '../call-profile.ts';

/** A version of a secret. */
export interface Secret {
  readonly text: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

/** The labels of Secrets Manager for the present version and the one before. */
export type SecretStage = 'AWSCURRENT' | 'AWSPREVIOUS';

/**
 * Reads a version of a secret in Secrets Manager.
 *
 * @returns undefined if the secret has no such version.
 * @throws {UnavailableError} if Secrets Manager does not answer, does not allow it, or the secret
 *   has no text. No message contains the text.
 */
export type ReadSecret = (arn: string, stage: SecretStage) => Promise<Secret | undefined>;

/** Only one request at a time, and rarely. */
const maxSockets = 2;

function readOutput(output: unknown): Secret | undefined {
  const { SecretString: text, CreatedDate: createdAt } = output as Readonly<
    Record<string, unknown>
  >;
  return typeof text === 'string' && text !== '' && typeof createdAt === 'number'
    ? { text, createdAt }
    : undefined;
}

/** @param environment the process's variables, by AWS's own names. */
export function createSecretReader(environment: Environment): ReadSecret {
  const endpoint = environment['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
  const client = createAwsJsonClient({
    service: 'secretsmanager',
    protocol: { contentType: 'application/x-amz-json-1.1', targetPrefix: 'secretsmanager' },
    environment: { ...environment, AWS_ENDPOINT_URL_SECRETSMANAGER: endpoint },
    profile: callProfiles.request,
    maxSockets,
  });
  const read = async (arn: string, stage: SecretStage): Promise<unknown> => {
    try {
      return await client.call('GetSecretValue', { SecretId: arn, VersionStage: stage });
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'ResourceNotFoundException') return undefined;
      throw new ServiceUnavailableError('Secrets Manager', 'Secrets Manager gives no secret', {
        cause,
      });
    }
  };
  return async (arn, stage) => {
    const output = await read(arn, stage);
    if (output === undefined) return undefined;
    const secret = readOutput(output);
    if (secret === undefined)
      throw new ServiceUnavailableError('Secrets Manager', 'the secret has no text');
    return secret;
  };
}
