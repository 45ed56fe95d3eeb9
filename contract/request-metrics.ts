/** CloudWatch namespace of the metrics of a function that runs outside a deployment. */
export const commonMetricNamespace = 'AuthorizationServer';

/**
 * CloudWatch namespace of every metric that a deployment's functions emit. Metrics stand under the
 * function's short name, which two deployments in one account and AWS region share.
 */
export function metricNamespace(deploymentName: string): string {
  return `${commonMetricNamespace}/${deploymentName}`;
}

/**
 * Metrics of requests, in the namespace of `alarms.ts`. A metric is emitted only when it says
 * something, because CloudWatch bills each for the hours in which it has a value: `Requests` has
 * `service` (the function's name) and `outcome`, and the others only `service`. No caller can create
 * a metric. The log has the rest.
 */
export const requestMetrics = {
  /** 1 for each request of the token function. */
  requests: 'Requests',
  /** 1 for each token request with 400. */
  refusals: 'Refusals',
  /** 1 for each 5xx. */
  failures: 'Failures',
  /** Days that an accepted secret has left when it is about to expire. */
  secretDaysLeft: 'SecretDaysLeft',
  /** 1 for each token for which the use of the secret could not be recorded. */
  secretUseFailures: 'SecretUseFailures',
  /** 1 for each token that another key signed because KMS refused the current one. */
  signingKeyFallbacks: 'SigningKeyFallbacks',
  /** 1 for each signature that the published key does not verify. */
  unverifiableSignatures: 'UnverifiableSignatures',
  /**
   * Percentage of the new tokens of an instance that one client asks for, in its requests above half
   * of `fairShare.signsPerMinute`. The maximum is the largest client's.
   */
  largestClientShare: 'LargestClientShare',
  /** 1 for each attempt to authenticate after too many failures. */
  throttledAuthentications: 'ThrottledAuthentications',
  /**
   * 1 for each request that arrived when API Gateway's clock and the function's differed too much.
   */
  clockDifferences: 'ClockDifferences',
} as const;

/** Metrics that are made from the access log of the API. They have no dimensions. */
export const gatewayMetrics = {
  /** 1 for each request that API Gateway refused because of a throttle. */
  throttled: 'GatewayThrottled',
} as const;

/** Metrics of the authorizer in addition to those of requests. */
export const authorizerMetrics = {
  /**
   * Milliseconds of each fetch of a provider's keys, without dimensions: the maximum is the slowest
   * provider, and the log line with the metric names it.
   */
  providerFetch: 'ProviderFetch',
  /** 1 for each token that was accepted although its client could not be looked up. */
  acceptedWithoutLookup: 'AcceptedWithoutLookup',
} as const;

/** Metrics of assertions. No alarm counts them, so neither workloads nor providers can cause one. */
export const assertionMetrics = {
  /** 1 for each assertion that was refused. */
  refused: 'RefusedAssertions',
  /** 1 for each assertion for which the keys of its provider could not be fetched. */
  withoutKeys: 'AssertionsWithoutKeys',
} as const;

/** Metrics of the management function. */
export const managementMetrics = {
  /** 1 for each client, secret, API key or provider that was stopped or deleted. */
  removals: 'Removals',
} as const;

/** Days before a secret expires when its owner should know: time for a release of the client. */
export const secretAlarmDays = 7;

/** Milliseconds: an alarm rings if one token request in a hundred takes longer. */
export const slowTokenRequest = 2000;

export const metricDimensions = { outcome: 'outcome', clientId: 'client_id' } as const;

/**
 * Property of each metric line, and no dimension of its metrics: version of the function that
 * answered. A metric of each outcome and version would cost more than all others together.
 */
export const functionVersionProperty = 'function_version';

/**
 * Metrics of each version of the token function, made from its log while a deployment shifts
 * requests gradually. Each has the dimension `function_version`.
 */
export const versionMetrics = {
  /** 1 for each token. */
  issued: 'VersionIssued',
  /** 1 for each token request with 4xx. */
  refused: 'VersionRefused',
} as const;
