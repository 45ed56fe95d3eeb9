/** Errors that the models of both services mark as retryable, and that no general rule covers. */
const retryable: ReadonlySet<string> = new Set(['ReplicatedWriteConflictException']);

/**
 * An error response of an AWS service. It has the shape of the SDK's own errors, so callers handle
 * both alike: `name` is the service's code.
 */
export class AwsServiceError extends Error {
  override readonly name: string;
  readonly $metadata: {
    readonly httpStatusCode: number;
    readonly requestId?: string | undefined;
    /** Set if the clocks differed and the next attempt is signed with the service's time. */
    readonly clockSkewCorrected?: boolean;
    attempts?: number;
  };

  /** Set if the service's model marks the error as retryable. */
  readonly $retryable?: object;

  constructor(code: string, message: string, metadata: AwsServiceError['$metadata']) {
    super(message);
    this.name = code;
    this.$metadata = metadata;
    if (retryable.has(code)) this.$retryable = {};
  }
}

/** No response in time. It has the SDK's name. */
export class AwsTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The caller's deadline has passed. It has the SDK's name. */
export class AwsAbortError extends Error {
  override readonly name = 'AbortError';
}

function readBody(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // The body is empty or a proxy's page. The status is enough.
    return {};
  }
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException:http://…` is `ThrottlingException`. */
function readCode(type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  return type.split(':')[0]?.split('#').at(-1) || undefined;
}

/** Makes an error of a response that is not a success (AWS JSON 1.0 and 1.1). */
export function readServiceError(
  response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
    readonly body: string;
  },
  clockSkewCorrected: boolean,
): AwsServiceError {
  const body = readBody(response.body);
  const code = readCode(response.headers['x-amzn-errortype']) ?? readCode(body['__type']);
  const message = body['message'] ?? body['Message'];
  const requestId = response.headers['x-amzn-requestid'];
  return new AwsServiceError(
    code ?? readCode(body['code']) ?? 'UnknownError',
    typeof message === 'string' ? message : `HTTP status ${response.status}`,
    {
      httpStatusCode: response.status,
      requestId: typeof requestId === 'string' ? requestId : undefined,
      ...(clockSkewCorrected && { clockSkewCorrected }),
    },
  );
}

/**
 * Reads the body of a successful response. A body that is not JSON comes from a proxy, and is
 * treated like a 502. The parser's own error would quote the body.
 */
export function readOutput(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new AwsServiceError('UnreadableAnswer', 'the answer is not JSON', {
      httpStatusCode: 502,
    });
  }
}
