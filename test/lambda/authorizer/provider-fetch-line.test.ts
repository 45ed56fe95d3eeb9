import { expect, it } from 'vitest';
import { FetchError } from '../../../core/identity-provider/fetch-json.ts';
import { describeProviderFetch } from '../../../lambda/authorizer/function.ts';
import { createLogLines } from '../../../lambda/shared/telemetry.ts';

const issuer = 'https://idp.example.net';
const time = Date.UTC(2026, 10, 23, 6, 0, 0, 5);

it('names the provider, and is a metric that no customer can multiply', () => {
  const formatLine = createLogLines('authorizer', {}, { AUTH_METRIC_NAMESPACE: 'Auth' });
  const entry = describeProviderFetch({ issuer, milliseconds: 12, failure: undefined });
  expect(JSON.parse(formatLine(entry, time))).toEqual({
    _aws: {
      Timestamp: time,
      CloudWatchMetrics: [
        { Namespace: 'Auth', Dimensions: [[]], Metrics: [{ Name: 'ProviderFetch' }] },
      ],
    },
    level: 'INFO',
    timestamp: '2026-11-23T06:00:00.005Z',
    service: 'authorizer',
    outcome: 'provider_fetch',
    issuer,
    ProviderFetch: 12,
  });
});

it('says why a fetch failed', () => {
  const failure = new FetchError(`${issuer}/keys`, 'timeout');
  expect(describeProviderFetch({ issuer, milliseconds: 2001, failure })).toMatchObject({
    level: 'warn',
    fields: {
      error_name: 'FetchError',
      error_message: `${issuer}/keys cannot be fetched: it did not answer in time`,
    },
  });
});
