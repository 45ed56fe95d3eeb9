import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import type { ManagementConfig } from '../contract/management/management-config.ts';
import { noticeBusName, noticeSource, noticeTypes } from '../contract/notices.ts';
import { deployedTableName, type TableKey } from '../contract/tables.ts';
import { seconds } from '../core/clock.ts';
import { MalformedRecordError, UnavailableError } from '../core/errors.ts';
import { withoutGrants } from '../core/identity-provider/grant.ts';
import { awsTimeOf, type ManagementContext } from '../core/management/management-context.ts';
import type { DailyRunPorts } from '../core/notices/daily-run.ts';
import type { Notice, PutNotices } from '../core/notices/notice.ts';
import { ServerDate } from '../core/server-date.ts';
import { callAws } from './aws-errors.ts';
import { createAwsJsonClient } from './aws-json/aws-json-client.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { callProfiles } from './call-profile.ts';
import { createDynamoDbApiKeyStore } from './dynamodb/api-key-store.ts';
import { openApiKeyUses } from './dynamodb/api-key-use-reader.ts';
import { openAuditRegions, openChanges } from './dynamodb/audit-log.ts';
import { createDynamoDbClientStore } from './dynamodb/client-store.ts';
import { createDynamoDbDailyReportStore } from './dynamodb/daily-report-store.ts';
import { openJsonDynamoDb } from './dynamodb/json-documents.ts';
import {
  createDynamoDbGrantStore,
  createDynamoDbProviderOwnerStore,
} from './dynamodb/record-partition.ts';

type GrantStores = Pick<ManagementContext, 'providerGrants' | 'providerOwners'>;

/** A list of grants that cannot be read counts as empty: the run goes on, and its log names it. */
function openGrants(
  { providerGrants, providerOwners }: GrantStores,
  onMalformedRecord: (error: Error) => void,
): DailyRunPorts['grants'] {
  return {
    providerGrants: {
      findGrants: (kind, place) =>
        providerGrants.findGrants(kind, place).catch((error: unknown) => {
          if (!(error instanceof MalformedRecordError)) throw error;
          onMalformedRecord(error);
          return withoutGrants(kind, place);
        }),
    },
    findOwner: async (id) => (await providerOwners.findOwners([id])).get(id),
  };
}

interface OpenDailyRunOptions {
  readonly config: ManagementConfig;
  /** The process's variables, by AWS's own names. */
  readonly environment: Environment;
  /** Hears of each record that cannot be read. The run skips it. */
  readonly onMalformedRecord: (error: Error) => void;
}

/** What the daily run reads and writes, on a deployment's tables and its bus. */
export function openDailyRun(options: OpenDailyRunOptions): Omit<DailyRunPorts, 'isOutOfTime'> {
  const { config, environment, onMalformedRecord } = options;
  const serverDate = new ServerDate(() => performance.now());
  const regions = openJsonDynamoDb(environment, 'background')(serverDate.record.bind(serverDate));
  const dynamodb = regions.own;
  const table = (key: TableKey) => deployedTableName(config, key);
  // No change depends on what is read here: half the price, and independent of other regions.
  const store = { onMalformedRecord };
  const audits = openAuditRegions(config, regions);
  return {
    clients: createDynamoDbClientStore(dynamodb, table('clients'), store),
    apiKeys: createDynamoDbApiKeyStore(dynamodb, table('apiKeys'), store),
    apiKeyUses: openApiKeyUses(audits, config.name),
    grants: openGrants(
      {
        providerGrants: createDynamoDbGrantStore(dynamodb, table('signingKeys'), store),
        providerOwners: createDynamoDbProviderOwnerStore(dynamodb, table('signingKeys'), store),
      },
      onMalformedRecord,
    ),
    reports: createDynamoDbDailyReportStore(dynamodb, table('signingKeys')),
    // What this region has written a moment ago is read: later reads continue after it.
    changes: openChanges(audits, {
      ...store,
      consistentRead: true,
    }),
    drawNonce: randomUUID,
    putNotices: createPutNotices({ bus: noticeBusName(config.name), environment, wait }),
    // A wrong clock of this host would date the run, and silence others until then.
    now: () => seconds(awsTimeOf({ awsTime: () => serverDate.bounds() }).earliest),
  };
}

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

interface PutNoticesOptions {
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
