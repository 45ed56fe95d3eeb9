/** When the prices were read. docs/cost.md shows it. */
export const pricesReadOn = 'November 2026';

/** The pages on which AWS has the prices, in the order of the tables. docs/cost.md links them. */
export const pricePages: Readonly<Record<string, string>> = {
  'API Gateway': 'https://aws.amazon.com/api-gateway/pricing/',
  KMS: 'https://aws.amazon.com/kms/pricing/',
  Lambda: 'https://aws.amazon.com/lambda/pricing/',
  DynamoDB: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  CloudWatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  'X-Ray': 'https://aws.amazon.com/xray/pricing/',
  EventBridge: 'https://aws.amazon.com/eventbridge/pricing/',
  'Secrets Manager': 'https://aws.amazon.com/secrets-manager/pricing/',
  WAF: 'https://aws.amazon.com/waf/pricing/',
  'Route 53': 'https://aws.amazon.com/route53/pricing/',
  CloudTrail: 'https://aws.amazon.com/cloudtrail/pricing/',
  GuardDuty: 'https://aws.amazon.com/guardduty/pricing/',
  Cognito: 'https://aws.amazon.com/cognito/pricing/',
};

/**
 * List prices of AWS in US dollars, without free tiers, taxes and private rates: us-west-2, which
 * us-east-1 and us-east-2 share.
 */
export const prices = {
  /** A million requests of a regional REST API, up to so many a month. */
  restApiTiers: [
    { upTo: 333e6, perMillion: 3.5 },
    { upTo: 1e9, perMillion: 2.8 },
    { upTo: 20e9, perMillion: 2.38 },
    { upTo: Number.POSITIVE_INFINITY, perMillion: 1.51 },
  ],
  lambda: {
    perMillionRequests: 0.2,
    /** arm64, a gigabyte for a second. */
    perGbSecond: 0.0000133334,
    provisioned: { perGbSecondKept: 0.0000033334, perGbSecondUsed: 0.0000077778 },
  },
  kms: {
    /** 10,000 calls to Sign. */
    per10kRsa2048: 0.03,
    per10kOther: 0.15,
    perKeyMonth: 1,
  },
  /** A million request units; an eventually consistent read of up to 4 KB is half a unit. */
  dynamodb: { perMillionReadUnits: 0.125, perMillionWriteUnits: 0.625 },
  secretMonth: 0.4,
  /** A million custom events. */
  events: { perMillion: 1 },
  /**
   * Logs of Lambda, API Gateway and WAF are vended logs: a gigabyte that arrives, up to so many a
   * month.
   */
  logs: {
    ingestTiers: [
      { upToGb: 10e3, perGb: 0.5 },
      { upToGb: 30e3, perGb: 0.25 },
      { upToGb: 50e3, perGb: 0.1 },
      { upToGb: Number.POSITIVE_INFINITY, perGb: 0.05 },
    ],
    perGbMonthKept: 0.03,
    /** What is kept is compressed; the share is the one of CloudWatch's own examples. */
    keptShare: 0.15,
  },
  /** A metric of one's own for a month, the first 10,000 of them. */
  metricMonth: 0.3,
  /** For each metric that an alarm reads. */
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
  /**
   * A health check of an endpoint outside AWS, and each option: HTTPS, a text to find. AWS does not
   * say that a custom domain of API Gateway is one inside, which costs half.
   */
  healthCheckMonth: 0.75,
  healthCheckOptionMonth: 2,
  xray: { perMillionTraces: 5 },
  webAcl: { perMillionRequests: 0.6, perMonth: 5, perRuleMonth: 1 },
  /** A million management events that a further trail delivers; the first trail is free. */
  furtherTrailPerMillionEvents: 20,
  /** A million management events that GuardDuty analyses, up to 500 million a month. */
  guardDutyPerMillionEvents: 4,
  perGbOut: 0.09,
  /** What each account has for nothing in every month, in all its regions together. */
  free: {
    metrics: 10,
    alarmMetrics: 10,
    dashboards: 3,
    logGb: 5,
    traces: 100_000,
    lambdaRequests: 1e6,
    lambdaGbSeconds: 400_000,
    gbOut: 100,
  },
  /** Cognito machine-to-machine: the first tier, and the tokens a month that it ends at. */
  cognito: { perThousandTokens: 2.25, firstTierTokens: 250_000 },
} as const;
