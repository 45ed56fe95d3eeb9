/** Keys that sign requests to AWS. Temporary ones have a session token. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Temporary credentials, with the time at which they expire, in milliseconds since the epoch. */
export interface ExpiringCredentials extends AwsCredentials {
  readonly expiresAt: number;
}

/** Returns the present credentials. A call is cheap while they are valid. */
export type CredentialProvider = () => AwsCredentials | Promise<AwsCredentials>;

/** There are no credentials. The error never contains any. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  /** Set if an HTTP service answered: its status decides whether another attempt may help. */
  readonly $metadata?: { readonly httpStatusCode: number };

  constructor(message: string, options: ErrorOptions & { readonly httpStatus?: number } = {}) {
    super(message, options);
    const { httpStatus } = options;
    if (httpStatus !== undefined) this.$metadata = { httpStatusCode: httpStatus };
  }
}

/** What to set, for messages about missing credentials. */
export const credentialSources =
  'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the role of a container, a Kubernetes service account or an instance';

/** Temporary credentials are renewed this long before they expire, as in AWS's own clients. */
const renewalMargin = 5 * 60_000;

/**
 * Caches temporary credentials and renews them before they expire, with one fetch for all callers.
 *
 * @param source where they come from, for the error: `the container's agent`.
 */
export function keepCredentials(
  source: string,
  fetchCredentials: () => Promise<ExpiringCredentials>,
): CredentialProvider {
  let known: ExpiringCredentials | undefined;
  let fetching: Promise<ExpiringCredentials> | undefined;

  async function renew(): Promise<ExpiringCredentials> {
    try {
      known = await fetchCredentials();
      return known;
    } catch (error) {
      // Credentials that are still valid are used; the next call tries again.
      if (known !== undefined && known.expiresAt > Date.now()) return known;
      if (error instanceof CredentialsError) throw error;
      throw new CredentialsError(`${source} did not answer`, { cause: error });
    } finally {
      fetching = undefined;
    }
  }

  return () => {
    if (known !== undefined && known.expiresAt - Date.now() > renewalMargin) return known;
    fetching ??= renew();
    return fetching;
  };
}

/**
 * Reads the JSON response of a container agent.
 *
 * @throws {CredentialsError} if it holds no credentials.
 */
export function readCredentials(source: string, body: string): ExpiringCredentials {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    // The parser's own error would quote the text.
  }
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = Object(answer) as Readonly<
    Record<string, unknown>
  >;
  const expiresAt = Date.parse(String(Expiration));
  if (
    typeof AccessKeyId !== 'string' ||
    typeof SecretAccessKey !== 'string' ||
    typeof Token !== 'string' ||
    Number.isNaN(expiresAt)
  ) {
    throw new CredentialsError(`${source} answered without credentials`);
  }
  const sessionToken = Token;
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken, expiresAt };
}
