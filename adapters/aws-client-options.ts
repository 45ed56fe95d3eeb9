import { Readable } from 'node:stream';
import { type CallProfile, type CallProfileName, callProfiles } from './call-profile.ts';
import type { AwsCredentials } from './credentials/credential-provider.ts';
import { beginDeadline } from './deadline.ts';
import { RetryBudget } from './retries.ts';

/** An omitted option follows the SDK's own rules: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_*. */
export interface AwsClientOptions {
  readonly region?: string | undefined;
  readonly endpointDynamoDb?: string | undefined;
  readonly endpointKms?: string | undefined;
  readonly endpointLambda?: string | undefined;
  readonly endpointSts?: string | undefined;
  /** Variables of a proxy: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly proxy?: Readonly<Record<string, string | undefined>> | undefined;
  readonly credentials?: AwsCredentials | undefined;
  /** Timeouts and retries of calls; `request` by default. */
  readonly profile?: CallProfileName | CallProfile | undefined;
}

/**
 * Maximum connections of one client. A function handles one request at a time. The local run
 * handles many; further requests wait in the agent.
 */
export const maxSockets = 100;

/** The part of the SDK's clients through which every response arrives. */
interface SdkClient {
  readonly config: {
    readonly requestHandler: {
      handle(
        request: unknown,
        options?: { readonly abortSignal?: unknown },
      ): Promise<{ readonly response: { readonly statusCode: number; readonly body?: unknown } }>;
    };
  };
  readonly middlewareStack: { readonly remove: (name: string) => boolean };
}

function profileOf({ profile = 'request' }: AwsClientOptions): CallProfile {
  return typeof profile === 'string' ? callProfiles[profile] : profile;
}

/**
 * Bounds the time of a whole response. The SDK's own timeouts end a body that stops, not one that
 * never ends. The body has as much time as the headers had.
 *
 * @returns the same client.
 */
function boundResponses<Client extends SdkClient>(
  client: Client,
  options: AwsClientOptions,
): Client {
  const { connectionTimeout, requestTimeout } = profileOf(options);
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (request, { abortSignal, ...others } = {}) => {
    const outer = abortSignal instanceof AbortSignal ? abortSignal : undefined;
    const deadline = beginDeadline(connectionTimeout + 2 * requestTimeout, outer);
    const sent = handle(request, { ...others, abortSignal: deadline.signal });
    const output = await sent.catch((error: unknown) => {
      deadline.end();
      throw error;
    });
    const { statusCode, body } = output.response;
    // Until then, the deadline ends a body that never ends.
    if (body instanceof Readable) body.once('close', deadline.end);
    // The SDK takes a status below 200 as success.
    if (statusCode >= 200) return output;
    throw Object.assign(new Error('the response has no final status'), { code: 'ECONNRESET' });
  };
  return client;
}

/** The configuration that every client of this service has. */
function clientConfiguration(options: AwsClientOptions, endpoint: string | undefined) {
  const profile = profileOf(options);
  const { proxy } = options;
  const agent = { keepAlive: true, maxSockets, ...(proxy !== undefined && { proxyEnv: proxy }) };
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(options.region !== undefined && { region: options.region }),
    ...(options.credentials !== undefined && { credentials: options.credentials }),
    maxAttempts: profile.maxAttempts,
    retryStrategy: new RetryBudget(profile),
    requestHandler: {
      connectionTimeout: profile.connectionTimeout,
      requestTimeout: profile.requestTimeout,
      // Without it, the SDK only logs a warning when the time is over.
      throwOnRequestTimeout: true,
      // A response that stops halfway.
      socketTimeout: profile.requestTimeout,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
}

/** A client of the SDK with bounded time and retries. */
export function createSdkClient<Client extends SdkClient>(
  create: (configuration: ReturnType<typeof clientConfiguration>) => Client,
  options: AwsClientOptions,
  endpoint: string | undefined,
): Client {
  const client = create(clientConfiguration(options, endpoint));
  // It copies each response for a log that no one reads: a fifth of the time of a long list.
  client.middlewareStack.remove('loggerMiddleware');
  return boundResponses(client, options);
}
