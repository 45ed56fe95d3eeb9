import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { noticeBusName, noticeSource, noticeType } from '../contract/notices.ts';
import { UnavailableError } from '../core/errors.ts';
import type { PutNotices } from '../core/notices/expiry-notices.ts';
import { callAws } from './aws-errors.ts';
import { createAwsJsonClient } from './aws-json/aws-json-client.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { callProfiles } from './call-profile.ts';

/** Events of one request: EventBridge takes ten, together 1 MB. A notice has 4 KB at most. */
export const maxNotices = 10;

/** Sendings of an event that EventBridge refuses while it accepts others. */
const maxAttempts = 5;
/** Milliseconds; the whole delay is random, and doubles with each attempt. */
const retryDelay = 100;

const outputSchema = v.object({
  Entries: v.array(
    v.object({ EventId: v.optional(v.string()), ErrorCode: v.optional(v.string()) }),
  ),
});

interface PutOptions {
  /** Requests at the same time. */
  readonly maxSockets: number;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Sends notices to the bus of a deployment, at most {@link maxNotices} at once.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function createPutNotices(
  deployment: string,
  environment: Environment,
  { maxSockets, wait = setTimeout }: PutOptions,
): PutNotices {
  const client = createAwsJsonClient({
    service: 'events',
    protocol: { contentType: 'application/x-amz-json-1.1', targetPrefix: 'AWSEvents' },
    environment: {
      ...environment,
      AWS_ENDPOINT_URL_EVENTS: environment['AWS_ENDPOINT_URL_EVENTBRIDGE'],
    },
    profile: callProfiles.background,
    maxSockets,
  });
  return async (notices) => {
    let rest = notices.map((detail) => ({
      EventBusName: noticeBusName(deployment),
      Source: noticeSource,
      DetailType: noticeType,
      Detail: JSON.stringify(detail),
    }));
    for (let attempt = 1; ; attempt++) {
      const output = await callAws('EventBridge', 'send notices', () =>
        client.call('PutEvents', { Entries: rest }),
      );
      const result = v.safeParse(outputSchema, output);
      if (!result.success || result.output.Entries.length !== rest.length) {
        throw new UnavailableError('EventBridge returned an answer of an unknown shape');
      }
      // A request that succeeds may hold entries that failed.
      const { Entries: answers } = result.output;
      rest = rest.filter((_, index) => answers[index]?.EventId === undefined);
      if (rest.length === 0) return;
      if (attempt === maxAttempts) {
        const codes = [...new Set(answers.flatMap(({ ErrorCode }) => ErrorCode ?? []))];
        throw new UnavailableError(
          `EventBridge did not accept ${rest.length} of ${notices.length} notices: ${codes.join(', ') || 'it gives no reason'}`,
        );
      }
      await wait(Math.random() * retryDelay * 2 ** attempt);
    }
  };
}
