import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPutNotices } from '../../../adapters/put-notices.ts';
import type { NoticeDetail } from '../../../contract/notices.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { type Answer, type StubServer, startStub } from '../adapters/stub-server.ts';

interface Entry {
  readonly Detail: string;
}

let events: StubServer;
/** Places of the entries that EventBridge refuses, call by call; then it accepts everything. */
let refused: (readonly number[])[] = [];

beforeAll(async () => {
  events = await startStub(({ input }): Answer => {
    const places = refused.shift() ?? [];
    const Entries = (input['Entries'] as readonly Entry[]).map((_, index) =>
      places.includes(index)
        ? { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' }
        : { EventId: `event-${index}` },
    );
    return { status: 200, body: { FailedEntryCount: places.length, Entries } };
  });
});
afterAll(() => events.close());
beforeEach(() => {
  refused = [];
  (events.calls as unknown[]).length = 0;
});

const notices = Array.from(
  { length: 10 },
  (_, number): NoticeDetail => ({
    version: 1,
    notice_id: `notice-${number}`,
    deployment: 'test',
    service_trunk_group: 'tg-1001',
    credential: 'client_secret',
    client_id: 'client_1',
    client_name: 'Billing',
    secret_id: `secret_${number}`,
    expires_at: '2027-01-29T12:00:00Z',
    days_to_expiry: 14,
  }),
);

const putter = () => {
  const environment = {
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL_EVENTBRIDGE: events.endpoint,
    AWS_ACCESS_KEY_ID: testAccessKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: testAccessKey.secretAccessKey,
  };
  return createPutNotices('test', environment, { maxSockets: 1, wait: async () => undefined });
};

describe('sending notices', () => {
  it('calls PutEvents, signed for EventBridge, with entries for the bus', async () => {
    await putter()(notices);
    const [first] = events.calls;
    expect(events.calls).toHaveLength(1);
    expect(first?.headers['x-amz-target']).toBe('AWSEvents.PutEvents');
    expect(first?.headers['authorization']).toContain('/us-west-2/events/aws4_request');
    expect(first?.input).toEqual({
      Entries: notices.map((detail) => ({
        EventBusName: 'test-notices',
        Source: 'authorization-server',
        DetailType: 'Credential Approaching Expiration',
        Detail: JSON.stringify(detail),
      })),
    });
  });

  it('sends again only what EventBridge refused of a request that it accepted', async () => {
    refused = [[1, 4], [0]];
    await putter()(notices);
    const sent = events.calls.map(({ input }) =>
      (input['Entries'] as readonly Entry[]).map(({ Detail }) => JSON.parse(Detail).notice_id),
    );
    expect(sent.slice(1)).toEqual([['notice-1', 'notice-4'], ['notice-1']]);
  });

  it('gives up after five sendings, and says why', async () => {
    refused = [[3], [0], [0], [0], [0]];
    const sending = putter()(notices);
    await expect(sending).rejects.toThrow(UnavailableError);
    await expect(sending).rejects.toThrow(
      'EventBridge did not accept 1 of 10 notices: ThrottlingException',
    );
    expect(events.calls).toHaveLength(5);
  });
});
