import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import {
  providerOwnerPrefix as prefix,
  trunkGroupLimitsRecordType,
} from '../../contract/tables.ts';
import { MalformedRecordError } from '../../core/errors.ts';
import type {
  ProviderOwner,
  ProviderOwnerStore,
} from '../../core/identity-provider/provider-owner.ts';
import { parseProviderOwnerItem, toProviderOwnerItem } from './provider-owner-item.ts';
import { openRecordPartition } from './record-partition.ts';
import type { StoreOptions } from './store-options.ts';

/** Reads at the same time: a list of 100 own providers takes seven rounds. */
const readsAtOnce = 16;

/** Owners of providers in DynamoDB, in the partition of the limits of trunk groups. */
export function createDynamoDbProviderOwnerStore(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): ProviderOwnerStore {
  const recordType = trunkGroupLimitsRecordType;
  const { find, put } = openRecordPartition(dynamodb, { table, recordType }, store);
  const findOwner = async (registrationId: string) => {
    const item = await find(prefix + registrationId);
    return item && parseProviderOwnerItem(item);
  };
  const findReadable = async (registrationId: string) => {
    try {
      return await findOwner(registrationId);
    } catch (error) {
      if (!(error instanceof MalformedRecordError)) throw error;
      store.onMalformedRecord?.(error);
      return undefined;
    }
  };
  return {
    findOwner,
    findOwners: async (registrationIds) => {
      const owners = new Map<string, ProviderOwner>();
      const rest = registrationIds.values();
      const work = async () => {
        for (const id of rest) {
          const owner = await findReadable(id);
          if (owner !== undefined) owners.set(id, owner);
        }
      };
      await Promise.all(Array.from({ length: readsAtOnce }, work));
      return owners;
    },
    putOwner: async (owner) =>
      put(toProviderOwnerItem(owner), {
        id: prefix + owner.registrationId,
        version: owner.version,
        doing: `change the owner of the provider "${owner.issuer}"`,
        conflict: 'it was changed meanwhile',
      }),
  };
}
