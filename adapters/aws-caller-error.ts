import { ResourceNotFoundError } from './aws-errors.ts';

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
  CredentialsProviderError: [
    'credentials',
    'there are no AWS credentials; set AWS_PROFILE or sign in',
  ],
  ResourceNotFoundException: [
    'no_such_table',
    `a table of the deployment does not exist; ${whereTablesAre}`,
  ],
} as const;

export type AwsCallerProblem = (typeof problems)[keyof typeof problems][0];

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
  if (!(error instanceof Error) || !Object.hasOwn(problems, error.name)) return undefined;
  const [problem, text] = problems[error.name as keyof typeof problems];
  // Its message names the table.
  const shown =
    error instanceof ResourceNotFoundError ? `${error.message}; ${whereTablesAre}` : text;
  return new AwsCallerError(problem, error.name, shown, { cause: error });
}
