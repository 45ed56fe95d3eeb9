/**
 * Metrics of requests, in the namespace of `alarms.ts`. Each has two sets of dimensions: only
 * `service` (the function's name), and `service` with `outcome`. `SecretDaysLeft` also has
 * `client_id`, and all of them do if the deployment config has `clientMetrics`: for clients that
 * proved who they are, as anyone who did not cannot make metrics.
 */
export const requestMetrics = {
  /** 1 for each request. */
  requests: 'Requests',
  /** 1 for each 4xx, 0 for others. */
  refusals: 'Refusals',
  /** 1 for each 5xx, 0 for others. */
  failures: 'Failures',
  /** Milliseconds from event to response. */
  latency: 'Latency',
  /** Days that an accepted secret has left, once it is near its end. */
  secretDaysLeft: 'SecretDaysLeft',
  /** 1 for each token whose secret's use could not be noted. */
  secretUseFailures: 'SecretUseFailures',
  /** 1 for each token that another key signed because KMS refused the current one. */
  signingKeyFallbacks: 'SigningKeyFallbacks',
  /** 1 for each signature that the published key does not verify. */
  unverifiableSignatures: 'UnverifiableSignatures',
  /** 1 for each attempt to authenticate that came after too many failures. */
  throttledAuthentications: 'ThrottledAuthentications',
  /** 1 for each request that came by a clock too far from the function's. */
  clockDifferences: 'ClockDifferences',
} as const;

/** Days before a secret's end at which someone should be told: time for a release of the client. */
export const secretAlarmDays = 7;

export const metricDimensions = { outcome: 'outcome', clientId: 'client_id' } as const;

/**
 * Property of each metric line, and no dimension of its metrics: version of the function that
 * answered. A metric of each outcome and version would cost more than all others together.
 */
export const functionVersionProperty = 'function_version';

/**
 * Metrics of the token function's versions while new ones come gradually, made from its log. Each
 * stands under `function_version`.
 */
export const versionMetrics = {
  /** 1 for each token. */
  issued: 'VersionIssued',
  /** 1 for each request whose client did not authenticate, or was not even looked at. */
  refusedClients: 'VersionRefusedClients',
} as const;
