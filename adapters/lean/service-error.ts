/** Errors of both services that their models call retryable and no general rule knows. */
const retryable: ReadonlySet<string> = new Set(['ReplicatedWriteConflictException']);

/**
 * An error that an AWS service answered. It has the shape of the SDK's own errors, so that they
 * are told apart in one way: `name` is the service's code.
 */
export class AwsServiceError extends Error {
  override readonly name: string;
  readonly $metadata: {
    readonly httpStatusCode: number;
    readonly requestId?: string | undefined;
    /** Set if the clocks differed and the next attempt is signed by the service's. */
    readonly clockSkewCorrected?: boolean;
    attempts?: number;
  };

  /** Set if the service's model says that another attempt may succeed. */
  readonly $retryable?: object;

  constructor(code: string, message: string, metadata: AwsServiceError['$metadata']) {
    super(message);
    this.name = code;
    this.$metadata = metadata;
    if (retryable.has(code)) this.$retryable = {};
  }
}

/** No answer in time. Named as the SDK names it. */
export class AwsTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The caller's deadline has passed. Named as the SDK names it. */
export class AwsAbortError extends Error {
  override readonly name = 'AbortError';
}

function readBody(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // A proxy's page, or nothing: the status says enough.
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
 * Reads the body of a success. What is not JSON comes from something before the service and is as
 * good as that one's 502. The parser's own error would quote the body.
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
