import { describe, expect, it, vi } from 'vitest';
import { type Answer, failure, startStub } from '../adapters/stub-server.ts';
import { useTokenFunction } from './use-token-function.ts';

// The deadlines of production end what never answers. Every answer is 503, on a machine of any
// speed; test/lambda/token/deadline.test.ts shows to the millisecond when it comes.
vi.unmock('../../../contract/bounds.ts');
vi.unmock('../../../adapters/call-profile.ts');

const { tokenFunction } = useTokenFunction();

const services = ['dynamodb', 'kms'] as const;

const outages = services.flatMap((service) =>
  [
    ['throttles', failure(400, 'ThrottlingException')],
    ['fails', failure(500, 'InternalServerError')],
    ['closes the connection', 'reset'],
    ['never answers', 'silence'],
    ['stops within the answer', 'half'],
  ].map(([manner, answer]) => [service, manner as string, answer as Answer] as const),
);

describe('a token', () => {
  // Together, since some of them wait for the deadline.
  it.concurrent.each(outages)('while %s %s: 503', async (service, _manner, answer) => {
    const stub = await startStub(() => answer);
    try {
      const { issue, reports } = tokenFunction({ [service]: stub.endpoint });
      const response = await issue();
      expect(response).toMatchObject({
        statusCode: 503,
        headers: { 'Retry-After': '5', 'Cache-Control': 'no-store' },
        body: '{"error":"temporarily_unavailable","error_description":"the service is unavailable, try again later"}',
      });
      expect(reports).toMatchObject([{ level: 'warn', outcome: 'temporarily_unavailable' }]);
    } finally {
      await stub.close();
    }
  });
});
