import { expect, it } from 'vitest';
import { FetchError } from '../../../core/identity-provider/fetch-json.ts';
import { formatProviderFetch } from '../../../lambda/authorizer/function.ts';

const issuer = 'https://idp.example.net';
const time = Date.UTC(2026, 10, 23, 6, 0, 0, 5);

it('names the provider, and is a metric that no customer can multiply', () => {
  const line = formatProviderFetch({ issuer, milliseconds: 12, failure: undefined }, 'Auth', time);
  expect(line.endsWith('\n')).toBe(true);
  expect(JSON.parse(line)).toEqual({
    _aws: {
      Timestamp: time,
      CloudWatchMetrics: [
        {
          Namespace: 'Auth',
          Dimensions: [[]],
          Metrics: [{ Name: 'ProviderFetch', Unit: 'Milliseconds' }],
        },
      ],
    },
    level: 'INFO',
    message: 'provider_fetch',
    timestamp: '2026-11-23T06:00:00.005Z',
    service: 'authorizer',
    issuer,
    ProviderFetch: 12,
  });
});

it('says why a fetch failed', () => {
  const failure = new FetchError(`${issuer}/keys`, 'timeout');
  const line = formatProviderFetch({ issuer, milliseconds: 2001, failure }, 'Auth', time);
  expect(JSON.parse(line)).toMatchObject({
    level: 'WARN',
    ProviderFetch: 2001,
    error_name: 'FetchError',
    error_message: `${issuer}/keys cannot be fetched: it did not answer in time`,
  });
});
