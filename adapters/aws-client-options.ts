import { type CallProfile, type CallProfileName, callProfiles } from './call-profile.ts';
import { RetryBudget } from './retry-budget.ts';

/** An omitted option follows the SDK's own rules: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_*. */
export interface AwsClientOptions {
  readonly region?: string | undefined;
  readonly endpointDynamoDb?: string | undefined;
  readonly endpointKms?: string | undefined;
  readonly endpointLambda?: string | undefined;
  readonly endpointSts?: string | undefined;
  readonly credentials?:
    | {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken?: string | undefined;
      }
    | undefined;
  /** Timeouts and retries of calls; `request` by default. */
  readonly profile?: CallProfileName | CallProfile | undefined;
}

/**
 * Maximum connections of one client. A function handles one request at a time. The local run
 * handles many; further requests wait in the agent.
 */
export const maxSockets = 100;

/** The configuration that every client of this service has. */
export function clientConfiguration(options: AwsClientOptions) {
  const { profile: chosen = 'request' } = options;
  const profile = typeof chosen === 'string' ? callProfiles[chosen] : chosen;
  const agent = { keepAlive: true, maxSockets };
  return {
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
