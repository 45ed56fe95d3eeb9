import * as sdk from '@smithy/core/retry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallError,
  isServerError,
  isThrottlingError,
  isTransientError,
} from '../../adapters/retries.ts';

const names = [
  'AbortError',
  'AccessDeniedException',
  'ConditionalCheckFailedException',
  'InvalidSignatureException',
  'KMSInternalException',
  'ValidationException',
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
];
const codes = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CERT_HAS_EXPIRED',
];
const statuses = [200, 400, 403, 429, 499, 500, 501, 502, 503, 504, 505, 599, 600];

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const { error } = fc.letrec<{ error: CallError }>((tie) => ({
  error: fc.record({
    name: optional(fc.constantFrom(...names)),
    message: fc.constantFrom('no', 'Signature expired: 20261120T093000Z is now earlier'),
    code: optional(fc.constantFrom(...codes)),
    $retryable: optional(fc.constantFrom({}, { throttling: true }, { throttling: false })),
    $metadata: optional(
      fc.record({
        httpStatusCode: optional(fc.constantFrom(...statuses)),
        clockSkewCorrected: fc.constantFrom(undefined, true),
      }),
    ),
    cause: fc.option(tie('error'), { nil: undefined, maxDepth: 3 }),
  }),
}));

describe('an error', () => {
  it('is throttling, transient or the server’s if the SDK says so', () => {
    fc.assert(
      fc.property(error, (each) => {
        const asSdk = each as Parameters<typeof sdk.isTransientError>[0];
        const theirs = [
          sdk.isThrottlingError(asSdk),
          sdk.isTransientError(asSdk),
          sdk.isServerError(asSdk),
        ];
        const ours = [isThrottlingError(each), isTransientError(each), isServerError(each)];
        expect(ours).toEqual(theirs.map(Boolean));
      }),
      { numRuns: 2000 },
    );
  });

  it('that is its own cause ends', () => {
    const loop: { name: string; cause?: unknown } = { name: 'Error' };
    loop.cause = loop;
    expect(isTransientError(loop)).toBe(false);
  });
});
