import type { DynamoDbDocuments } from '../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { parseApiKeyItem } from '../../adapters/dynamodb/items/api-key-item.ts';
import { parseClientItem, toClient } from '../../adapters/dynamodb/items/client-item.ts';
import type { Item } from '../../adapters/dynamodb/items/item.ts';
import { scanItems } from '../../adapters/dynamodb/stores/read-items.ts';
import { maxNotices } from '../../adapters/put-notices.ts';
import type { Settings } from '../../contract/function-settings.ts';
import { isJsonObject } from '../../contract/json-object.ts';
import { type NoticeDetail, noticeMetrics } from '../../contract/notices.ts';
import { describeError, InputError, MalformedRecordError } from '../../core/errors.ts';
import {
  findApiKeyNotices,
  findSecretNotices,
  type NoticeRun,
  type PutNotices,
} from '../../core/notices/expiry-notices.ts';
import { parseTime } from '../../core/time.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';

/** Calls at the same time: each segment of a table is read and told by itself, one call at a time. */
export const callsAtOnce = 10;

/**
 * A retry has the time of the first attempt, and so tells the same. EventBridge may be some seconds
 * late, so the time is that of the minute.
 */
function readScheduledTime(event: unknown): number {
  const { scheduled_time: text } = isJsonObject(event) ? event : {};
  const time = typeof text === 'string' ? parseTime(text) : undefined;
  if (time !== undefined) return time - (time % 60);
  throw new InputError('the event: allowed: "scheduled_time", an RFC 3339 time');
}

/** What a run did. A record that cannot be read is no reason to tell nothing of the others. */
class Tally {
  told = 0;
  unread = 0;

  /** @returns nothing of a record that cannot be read, which is counted. */
  find(findNotices: () => readonly NoticeDetail[]): readonly NoticeDetail[] {
    try {
      return findNotices();
    } catch (error) {
      if (!(error instanceof MalformedRecordError)) throw error;
      this.unread += 1;
      return [];
    }
  }
}

interface NoticesAws {
  readonly dynamodb: DynamoDbDocuments;
  readonly putNotices: PutNotices;
}

/**
 * The notices function. Once a day it tells what has exactly so many days left at the time when the
 * run was due. It keeps nothing from one run to the next.
 */
export function createNoticesHandler(
  settings: Settings<'notices'>,
  { dynamodb, putNotices }: NoticesAws,
  telemetry: RunTelemetry = createRunTelemetry('notices'),
): (event: unknown) => Promise<{ readonly told: number; readonly unread: number }> {
  const deployment = settings.deploymentName;
  const sources = (run: NoticeRun) => [
    {
      table: settings.clientsTable,
      find: (item: Item) => findSecretNotices(toClient(parseClientItem(item)), run),
    },
    {
      table: settings.apiKeysTable,
      find: (item: Item) => findApiKeyNotices(parseApiKeyItem(item), run),
    },
  ];
  const tellSegment = async (run: NoticeRun, tally: Tally, Segment: number): Promise<void> => {
    let due: readonly NoticeDetail[] = [];
    const send = async (notices: readonly NoticeDetail[]) => {
      await putNotices(notices);
      tally.told += notices.length;
    };
    for (const { table, find } of sources(run)) {
      const segment = { Segment, TotalSegments: callsAtOnce };
      for await (const item of scanItems(dynamodb, table, {}, { segment })) {
        due = [...due, ...tally.find(() => find(item))];
        for (; due.length >= maxNotices; due = due.slice(maxNotices)) {
          await send(due.slice(0, maxNotices));
        }
      }
    }
    if (due.length > 0) await send(due);
  };
  return async (event) => {
    const tally = new Tally();
    try {
      const run = { deployment, time: readScheduledTime(event) };
      const segments = Array.from({ length: callsAtOnce }, (_, index) => index);
      const ended = await Promise.allSettled(segments.map((one) => tellSegment(run, tally, one)));
      const failure = ended.find((one) => one.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    } catch (error) {
      telemetry.report({
        level: 'error',
        outcome: 'failed',
        fields: { ...describeError(error), told: tally.told, unread: tally.unread },
        metrics: { [noticeMetrics.told]: 0 },
      });
      throw error;
    }
    const { told, unread } = tally;
    telemetry.report({
      level: unread === 0 ? 'info' : 'warn',
      outcome: 'told',
      fields: { told, unread },
      metrics: { [noticeMetrics.told]: 1 },
    });
    return { told, unread };
  };
}
