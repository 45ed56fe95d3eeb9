/**
 * List prices of AWS in US dollars, without free tiers, taxes and private rates: us-west-2, which
 * us-east-1 and us-east-2 share. Read off the services' price pages in November 2026.
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
  logs: { perGbIngested: 0.5, perGbMonthKept: 0.03 },
  /** A metric of one's own for a month, the first 10,000 of them. */
  metricMonth: 0.3,
  xray: { perMillionTraces: 5 },
  webAcl: { perMillionRequests: 0.6, perMonth: 5, perRuleMonth: 1 },
  perGbOut: 0.09,
  /** Cognito machine-to-machine, first tier. */
  cognito: { perThousandTokens: 2.25, perClientMonth: 6 },
} as const;
