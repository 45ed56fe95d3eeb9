import * as v from 'valibot';
import { noticeSource, noticeTypes } from '../../contract/notices.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { Notice, PutNotices } from '../../core/notices/notice.ts';
import { callAws } from '../aws-errors.ts';
import { createAwsJsonClient } from '../aws-json/aws-json-client.ts';
import type { Environment } from '../aws-json/endpoint.ts';
import { callProfiles } from '../call-profile.ts';

/**
 * Events of one request: EventBridge takes ten, together 256 KB. The largest notice, about an issuer
 * with the longest name, has less than a tenth of that.
 */
const maxEntries = 10;

/** Sendings of an event that EventBridge refuses while it accepts others. */
const maxAttempts = 5;
/** Milliseconds; the whole delay is random, and doubles with each attempt. */
const retryDelay = 100;

const outputSchema = v.object({
  Entries: v.array(
    v.object({ EventId: v.optional(v.string()), ErrorCode: v.optional(v.string()) }),
  ),
});

/** An event as EventBridge takes it. */
interface Entry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

export interface PutNoticesOptions {
  readonly bus: string;
  /** The process's variables, by AWS's own names. */
  readonly environment: Environment;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

function toEntry(bus: string, { kind, detail }: Notice): Entry {
  return {
    EventBusName: bus,
    Source: noticeSource,
    DetailType: noticeTypes[kind],
    Detail: JSON.stringify(detail),
  };
}

/**
 * What EventBridge has not accepted, and the codes of its errors. A request that succeeds may hold
 * entries that failed.
 */
function readFailures(entries: readonly Entry[], output: unknown) {
  const result = v.safeParse(outputSchema, output);
  if (!result.success || result.output.Entries.length !== entries.length) {
    throw new UnavailableError('EventBridge returned an answer of an unknown shape');
  }
  const answers = result.output.Entries;
  return {
    failed: entries.filter((_, index) => answers[index]?.EventId === undefined),
    codes: [...new Set(answers.flatMap(({ ErrorCode }) => ErrorCode ?? []))],
  };
}

/** Sends notices to a bus of EventBridge. */
export function createPutNotices({ bus, environment, wait }: PutNoticesOptions): PutNotices {
  const endpoint = environment['AWS_ENDPOINT_URL_EVENTBRIDGE'];
  const client = createAwsJsonClient({
    service: 'events',
    protocol: { contentType: 'application/x-amz-json-1.1', targetPrefix: 'AWSEvents' },
    environment: { ...environment, AWS_ENDPOINT_URL_EVENTS: endpoint },
    profile: callProfiles.background,
    maxSockets: 1,
  });
  const send = async (entries: readonly Entry[]): Promise<void> => {
    let rest = entries;
    for (let attempt = 1; ; attempt++) {
      const output = await callAws('EventBridge', 'send notices', () =>
        client.call('PutEvents', { Entries: rest }),
      );
      const { failed, codes } = readFailures(rest, output);
      if (failed.length === 0) return;
      if (attempt === maxAttempts) {
        throw new UnavailableError(
          `EventBridge did not accept ${failed.length} of ${entries.length} notices: ${codes.join(', ') || 'it gives no reason'}`,
        );
      }
      rest = failed;
      await wait(Math.random() * retryDelay * 2 ** attempt);
    }
  };
  return async (notices) => {
    for (let index = 0; index < notices.length; index += maxEntries) {
      const some = notices.slice(index, index + maxEntries);
      await send(some.map((notice) => toEntry(bus, notice)));
    }
  };
}
