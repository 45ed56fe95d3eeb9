import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../core/time.ts';
import type { CallProfile } from '../call-profile.ts';
import type { CredentialProvider } from '../credentials/credential-provider.ts';
import { functionCredentials } from '../credentials/environment-credentials.ts';
import { type CallError, isThrottlingError, isTransientError, RetryBudget } from '../retries.ts';
import {
  type Connection,
  createConnection,
  type HttpResponse,
  type PostOptions,
  StaleConnectionError,
} from './connection.ts';
import {
  type AwsJsonService,
  type Endpoint,
  type Environment,
  resolveEndpoint,
} from './endpoint.ts';
import { SignatureV4 } from './signature-v4.ts';

interface Protocol {
  readonly contentType: string;
  readonly targetPrefix: string;
}

interface AwsJsonClientOptions {
  readonly service: AwsJsonService | 'secretsmanager' | 'events' | 'servicequotas';
  /** How the service is called, if it is not one of the token path. */
  readonly protocol?: Protocol;
  /** The process's variables: region, endpoints and credentials, by AWS's own names. */
  readonly environment: Environment;
  /** The source of credentials. The default is that of a Lambda function. */
  readonly credentials?: CredentialProvider | undefined;
  readonly profile: CallProfile;
  /** Maximum connections. A function handles one request at a time, the local run many. */
  readonly maxSockets: number;
  /** Opens the connections to the service. */
  readonly connect?: typeof createConnection | undefined;
  /** Milliseconds since the epoch, by this host's clock. */
  readonly clock?: Clock;
}

interface AwsJsonCallOptions extends PostOptions {
  /** Reads the body of a successful response. The default parses it. */
  readonly read?: ((body: string) => unknown) | undefined;
}

/** Calls operations of one service by name, with inputs and outputs in the service's own JSON. */
export interface AwsJsonClient {
  /** Opens a connection ahead of the first call. */
  open(): void;
  call(operation: string, input: object, options?: AwsJsonCallOptions): Promise<unknown>;
  close(): void;
}

const protocols: Readonly<Record<AwsJsonService, Protocol>> = {
  kms: { contentType: 'application/x-amz-json-1.1', targetPrefix: 'TrentService' },
  dynamodb: { contentType: 'application/x-amz-json-1.0', targetPrefix: 'DynamoDB_20120810' },
};

/**
 * Signatures are valid for 15 minutes. Like the SDK, this client corrects a difference of 4 minutes
 * or more.
 */
const toleratedSkewMs = 240_000;

function errorType(error: Error): string {
  const callError = error as CallError;
  if (isThrottlingError(callError)) return 'THROTTLING';
  return isTransientError(callError) ? 'TRANSIENT' : 'CLIENT_ERROR';
}

/**
 * A client of the AWS JSON protocol for the calls of every token request. The SDK's clients do
 * more, but need three times the CPU time and ten times the code; see docs/adr/0029. Retries,
 * timeouts, region, endpoint, credentials and clock follow the SDK's rules.
 */
class RetryingClient implements AwsJsonClient {
  readonly #connection: Connection;
  readonly #credentials: CredentialProvider;
  readonly #endpoint: Endpoint;
  readonly #protocol: Protocol;
  readonly #retries: RetryBudget;
  readonly #service: string;
  readonly #signature = new SignatureV4();
  readonly #clock: Clock;
  /** How far the service's clock is ahead of this host's, in milliseconds. */
  #clockOffset = 0;

  constructor(options: AwsJsonClientOptions) {
    const { service, environment, profile, connect = createConnection } = options;
    this.#service = service;
    this.#protocol = options.protocol ?? protocols[service as AwsJsonService];
    this.#endpoint = resolveEndpoint(service, environment);
    this.#credentials = options.credentials ?? functionCredentials(environment);
    this.#connection = connect(this.#endpoint.url, { ...profile, ...options });
    this.#retries = new RetryBudget(profile);
    this.#clock = options.clock ?? Date.now;
  }

  open(): void {
    this.#connection.open();
  }

  close(): void {
    this.#connection.close();
  }

  async call(operation: string, input: object, options: AwsJsonCallOptions = {}): Promise<unknown> {
    const { signal } = options;
    const body = JSON.stringify(input);
    let retry = await this.#retries.acquireInitialRetryToken();
    for (let attempts = 1; ; attempts += 1) {
      try {
        const output = await this.#attempt(operation, body, options);
        this.#retries.recordSuccess();
        return output;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // Every call that is made here can be repeated, and the first time costs no retry.
        if (attempts === 1 && error instanceof StaleConnectionError) continue;
        retry = await this.#nextRetry(retry, error, attempts);
        await wait(retry.getRetryDelay(), undefined, signal && { signal });
      }
    }
  }

  async #nextRetry(
    retry: Awaited<ReturnType<RetryBudget['acquireInitialRetryToken']>>,
    error: Error & { $metadata?: { attempts?: number } },
    attempts: number,
  ): ReturnType<RetryBudget['refreshRetryTokenForRetry']> {
    const info = { errorType: errorType(error) };
    try {
      return await this.#retries.refreshRetryTokenForRetry(retry, info);
    } catch {
      if (error.$metadata !== undefined) error.$metadata.attempts = attempts;
      throw error;
    }
  }

  async #attempt(operation: string, body: string, options: AwsJsonCallOptions): Promise<unknown> {
    const { url, region } = this.#endpoint;
    const headers = this.#signature.sign(
      {
        region,
        service: this.#service,
        host: url.host,
        path: url.pathname,
        contentType: this.#protocol.contentType,
        target: `${this.#protocol.targetPrefix}.${operation}`,
        body,
        time: this.#clock() + this.#clockOffset,
      },
      await this.#credentials(),
    );
    const response = await this.#connection.post(headers, body, options);
    if (response.status === 200) return (options.read ?? readOutput)(response.body);
    throw readServiceError(response, this.#correctClock(response));
  }

  /**
   * @returns whether the clock was wrong and the next request is signed with the service's time.
   */
  #correctClock({ headers }: HttpResponse): boolean {
    const serverTime = Date.parse(headers.date ?? '');
    if (Number.isNaN(serverTime)) return false;
    const time = this.#clock();
    if (Math.abs(serverTime - time - this.#clockOffset) < toleratedSkewMs) return false;
    this.#clockOffset = serverTime - time;
    return true;
  }
}

export function createAwsJsonClient(options: AwsJsonClientOptions): AwsJsonClient {
  return new RetryingClient(options);
}

/** Errors that the models of both services mark as retryable, and that no general rule covers. */
const retryable: ReadonlySet<string> = new Set(['ReplicatedWriteConflictException']);

/** An error response of AWS, shaped as the SDK's own errors: `name` is the service's code. */
class AwsServiceError extends Error {
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
