import * as v from 'valibot';
import { maxTrunkGroupLimit } from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { ProviderOwner } from '../../../core/identity-provider/identity-provider.ts';
import { epochSeconds, type Item, text, urlText, version } from './item.ts';
import { partitionItem } from './partition-item.ts';

const stored = partitionItem({
  recordType: settingRecordTypes.owner,
  idName: 'registrationId',
  noun: 'owner of a provider',
  entries: {
    issuer: urlText,
    service_trunk_groups: v.pipe(v.array(text), v.maxLength(maxTrunkGroupLimit)),
    version,
    updated_at: epochSeconds,
  },
});

export const providerOwnerItem = {
  ...stored,
  parse: (item: Item): ProviderOwner => {
    const { serviceTrunkGroups: trunkGroups, ...owner } = stored.parse(item);
    return { ...owner, trunkGroups };
  },
  toItem: ({ trunkGroups, ...owner }: ProviderOwner): Item =>
    stored.toItem({ ...owner, serviceTrunkGroups: [...trunkGroups] }),
};
