import { apiKeyUseReadWait } from '../../../contract/bounds.ts';
import { apiKeyUseId, apiKeyUseTable, apiKeyUseTableName } from '../../../contract/tables.ts';
import type { ApiKeyUseReader } from '../../../core/api-key/api-key.ts';
import { readUseDay } from '../../../core/api-key/api-key-uses.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { type Clock, seconds } from '../../../core/time.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { AuditRegions } from './audit-log.ts';
import { getItems } from './get-items.ts';

const { partitionKey, dayAttribute } = apiKeyUseTable;

/** Reads what one region has recorded. */
type ReadRegion = <T>(run: (dynamodb: DynamoDbDocuments) => Promise<T>) => Promise<T>;

/** Gives up waiting, not the work. */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new UnavailableError('the last uses of API keys could not be read in time'));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The last uses in all regions: each has a table of its own, and the latest day counts.
 *
 * @param regions one for each region.
 */
export function createApiKeyUseReader(
  regions: readonly ReadRegion[],
  table: string,
  clock: Clock,
): ApiKeyUseReader {
  return {
    async findLastUses(uses) {
      const ids = uses.map(({ keyId, valueId }) => apiKeyUseId(keyId, valueId));
      const request = { table, partitionKey, ids };
      const read = regions.map((run) => run((dynamodb) => getItems(dynamodb, request, {})));
      const found = await within(Promise.all(read), apiKeyUseReadWait);
      const now = seconds(clock());
      return ids.map((id) =>
        found
          .flatMap((items) => readUseDay(items.get(id)?.[dayAttribute], now) ?? [])
          .sort()
          .at(-1),
      );
    },
  };
}

/** The same over the regions of the deployment's audits, which are the regions of its tables. */
export function openApiKeyUses(regions: AuditRegions, deploymentName: string): ApiKeyUseReader {
  return createApiKeyUseReader(
    regions.ids.map((id) => (run) => regions.read(id, ({ dynamodb }) => run(dynamodb))),
    apiKeyUseTableName(deploymentName),
    Date.now,
  );
}
