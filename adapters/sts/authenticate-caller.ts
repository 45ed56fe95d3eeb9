import {
  type CallerProof,
  callerProofRequest,
  requestDigestHeader,
} from '../../contract/caller-proof.ts';
import { ownValue } from '../../contract/own-value.ts';
import { InputError, ServiceUnavailableError } from '../../core/errors.ts';
import { ResourceNotFoundError } from '../aws-errors.ts';
import { requestOnce } from '../aws-json/connection.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';

/**
 * Sends a proof to STS, which returns its signer.
 *
 * @param digest identifies the request of the caller; the signature must cover it.
 * @returns the ARN of the user, or of the role's session.
 * @throws {InputError} if AWS does not accept the signature.
 */
export type AuthenticateCaller = (proof: CallerProof, digest: string) => Promise<string>;

/** Milliseconds. STS answers within the region. */
const timeout = 5000;

const arnElement = /<Arn>(arn:aws[a-z-]*:(?:iam|sts)::\d{12}:[\w+=,.@/-]{1,600})<\/Arn>/;
const codeElement = /<Code>(\w{1,60})<\/Code>/;

function headersOf(proof: CallerProof, digest: string): Record<string, string> {
  return {
    authorization: proof.authorization,
    'content-type': callerProofRequest.contentType,
    'x-amz-date': proof.date,
    ...('security_token' in proof && { 'x-amz-security-token': proof.security_token }),
    [requestDigestHeader]: digest,
  };
}

async function send(url: URL, headers: Record<string, string>, proxy: Environment | undefined) {
  const { method, path, body } = callerProofRequest;
  try {
    return await requestOnce(new URL(path, url), { method, headers, body, timeout, proxy });
  } catch (cause) {
    throw new ServiceUnavailableError('STS', 'STS does not answer', { cause });
  }
}

/**
 * @param environment the process's variables, by AWS's own names.
 * @param proxy variables that name the way to STS, if it is not direct.
 */
export function createAuthenticateCaller(
  environment: Environment,
  proxy?: Environment,
): AuthenticateCaller {
  const { url } = resolveEndpoint('sts', environment);
  return async (proof, digest) => {
    const { status, body } = await send(url, headersOf(proof, digest), proxy);
    const isRefusal = status >= 400 && status < 500 && status !== 429;
    if (status !== 200 && !isRefusal)
      throw new ServiceUnavailableError('STS', `STS answered ${status}`);
    if (isRefusal) {
      const code = codeElement.exec(body)?.[1] ?? `status ${status}`;
      throw new InputError(
        `caller_proof: AWS does not accept the signature (${code}); allowed: one by valid credentials over this request, made on a machine whose clock is right`,
      );
    }
    const arn = arnElement.exec(body)?.[1];
    if (arn === undefined) throw new ServiceUnavailableError('STS', 'STS named no caller');
    return arn;
  };
}

const whereTablesAre = "the config's name, the region and the account must be the deployment's";

/** Why AWS refuses the caller, by the name of the error. */
const problems = {
  AccessDeniedException: [
    'access_denied',
    'the caller may not do this; an operator needs the policy of the command group (see docs)',
  ],
  UnrecognizedClientException: ['credentials', 'AWS does not know these credentials'],
  InvalidSignatureException: ['credentials', 'AWS does not accept these credentials'],
  ExpiredTokenException: ['credentials', 'the credentials have expired; sign in again'],
  ExpiredToken: ['credentials', 'the credentials have expired; sign in again'],
  InvalidClientTokenId: ['credentials', 'AWS does not know these credentials'],
  CredentialsProviderError: ['credentials', 'there are no AWS credentials'],
  ResourceNotFoundException: [
    'no_such_table',
    `a table of the deployment does not exist; ${whereTablesAre}`,
  ],
} as const;

/** What ends a cause that the SDK names, but not its end. The first that matches. */
const credentialEnds: readonly (readonly [cause: RegExp, end: string])[] = [
  [
    /multi-factor/i,
    'eval "$(aws configure export-credentials --format env)" asks for the code and keeps the credentials in this shell, until they expire',
  ],
  [
    /any providers/,
    'sign in, or set AWS_PROFILE to a profile of ~/.aws/config with credentials, or a `credential_process` that succeeds',
  ],
  [/aws (?:sso )?login/, ''],
  [/(?:)/, 'aws sts get-caller-identity must succeed with the same profile'],
];

/** Why the SDK has no credentials, and what ends that. Its message has no credential. */
function describeCredentials({ message }: Error): string {
  const cause = message.split('\n')[0]?.slice(0, 300) ?? '';
  const [, end = ''] = credentialEnds.find(([pattern]) => pattern.test(message)) ?? [];
  return [problems.CredentialsProviderError[1], cause, ...(end === '' ? [] : [end])].join(': ');
}

type Problem = (typeof problems)[keyof typeof problems];
type AwsCallerProblem = Problem[0];

/**
 * AWS refuses the caller because of its credentials, its permissions or a wrong place. The person
 * who runs the program can fix this.
 */
export class AwsCallerError extends Error {
  override readonly name = 'AwsCallerError';
  readonly problem: AwsCallerProblem;
  /** The name of the error that AWS gave. */
  readonly awsError: string;

  constructor(problem: AwsCallerProblem, awsError: string, text: string, options?: ErrorOptions) {
    super(`${text} (${awsError})`, options);
    this.problem = problem;
    this.awsError = awsError;
  }
}

/** An error of the SDK in these terms; undefined for any other. */
export function findAwsCallerError(error: unknown): AwsCallerError | undefined {
  if (!(error instanceof Error)) return undefined;
  const [problem, text] = ownValue<Problem>(problems, error.name) ?? [];
  if (problem === undefined) return undefined;
  const shown =
    // Its message names the table.
    error instanceof ResourceNotFoundError
      ? `${error.message}; ${whereTablesAre}`
      : error.name === 'CredentialsProviderError'
        ? describeCredentials(error)
        : text;
  return new AwsCallerError(problem, error.name, shown, { cause: error });
}
