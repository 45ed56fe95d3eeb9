import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ManagementConfig } from '../contract/management/management-config.ts';
import { noticeBusName } from '../contract/notices.ts';
import { deployedTableName, type TableKey } from '../contract/tables.ts';
import { seconds } from '../core/clock.ts';
import { MalformedRecordError } from '../core/errors.ts';
import { withoutGrants } from '../core/identity-provider/grant.ts';
import { awsTimeOf, type ManagementContext } from '../core/management/management-context.ts';
import type { DailyRunPorts } from '../core/notices/daily-run.ts';
import { ServerDate } from '../core/server-date.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { createDynamoDbApiKeyStore } from './dynamodb/api-key-store.ts';
import { openAuditRegions, openChanges } from './dynamodb/audit-log.ts';
import { createDynamoDbClientStore } from './dynamodb/client-store.ts';
import { createDynamoDbDailyReportStore } from './dynamodb/daily-report-store.ts';
import { createDynamoDbClient } from './dynamodb/dynamodb-client.ts';
import {
  createDynamoDbGrantStore,
  createDynamoDbProviderOwnerStore,
} from './dynamodb/record-partition.ts';
import { createPutNotices } from './events/put-notices.ts';
import { recordServerDates } from './record-server-dates.ts';

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

export interface OpenDailyRunOptions {
  readonly config: ManagementConfig;
  readonly aws?: AwsClientOptions | undefined;
  /** The process's variables, by AWS's own names, for EventBridge. */
  readonly environment: Environment;
  /** Hears of each record that cannot be read. The run skips it. */
  readonly onMalformedRecord: (error: Error) => void;
}

/** What the daily run reads and writes, on a deployment's tables and its bus. */
export function openDailyRun(options: OpenDailyRunOptions): Omit<DailyRunPorts, 'isOutOfTime'> {
  const { config, environment, onMalformedRecord } = options;
  const aws: AwsClientOptions = { ...options.aws, profile: 'background' };
  const dynamodb = createDynamoDbClient(aws);
  const elapsed = () => performance.now();
  const serverDate = new ServerDate(elapsed);
  recordServerDates({ dynamodb }, serverDate.record.bind(serverDate), elapsed);
  const table = (key: TableKey) => deployedTableName(config, key);
  // No change depends on what is read here: half the price, and independent of other regions.
  const store = { onMalformedRecord };
  return {
    clients: createDynamoDbClientStore(dynamodb, table('clients'), store),
    apiKeys: createDynamoDbApiKeyStore(dynamodb, table('apiKeys'), store),
    grants: openGrants(
      {
        providerGrants: createDynamoDbGrantStore(dynamodb, table('signingKeys'), store),
        providerOwners: createDynamoDbProviderOwnerStore(dynamodb, table('signingKeys'), store),
      },
      onMalformedRecord,
    ),
    reports: createDynamoDbDailyReportStore(dynamodb, table('signingKeys')),
    // What this region has written a moment ago is read: later reads continue after it.
    changes: openChanges(openAuditRegions({ config, aws, dynamodb }), {
      ...store,
      consistentRead: true,
    }),
    drawNonce: randomUUID,
    putNotices: createPutNotices({ bus: noticeBusName(config.name), environment, wait }),
    // A wrong clock of this host would date the run, and silence others until then.
    now: () => seconds(awsTimeOf({ awsTime: () => serverDate.bounds() }).earliest),
  };
}
