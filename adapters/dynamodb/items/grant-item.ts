import * as v from 'valibot';
import {
  maxExternalIdLength,
  maxGrantListBytes,
  maxProviderUrlLength,
  maxTrunkGroupLimit,
} from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { GrantList } from '../../../core/identity-provider/grant.ts';
import { epochSeconds, type Item, text, textUpTo, version } from './item.ts';
import { partitionItem } from './partition-item.ts';

const trunkGroups = v.pipe(v.array(text), v.minLength(1), v.maxLength(maxTrunkGroupLimit));

/** Of one grant as JSON. */
const leastBytes = 30;

/** @param maxValueLength of what is granted. */
function grantListItem(kind: GrantList['kind'], noun: string, maxValueLength: number) {
  const grant = v.strictObject({
    value: textUpTo(maxValueLength),
    service_trunk_groups: trunkGroups,
  });
  const stored = partitionItem({
    recordType: settingRecordTypes[kind],
    /** The issuer of subject grants, the host of issuer grants. */
    idName: 'place',
    id: textUpTo(maxProviderUrlLength),
    noun,
    entries: {
      version,
      updated_at: epochSeconds,
      grants: v.pipe(v.array(grant), v.maxLength(maxGrantListBytes / leastBytes)),
    },
  });
  return {
    ...stored,
    parse: (item: Item): GrantList => {
      const { grants, ...list } = stored.parse(item);
      const read = ({ value, service_trunk_groups }: (typeof grants)[number]) => ({
        value,
        trunkGroups: service_trunk_groups,
      });
      return { kind, ...list, grants: grants.map(read) };
    },
    toItem: ({ place, grants, version, updatedAt }: GrantList): Item =>
      stored.toItem({
        place,
        version,
        updatedAt,
        grants: grants.map(({ value, trunkGroups: groups }) => ({
          value,
          service_trunk_groups: groups,
        })),
      }),
  };
}

export const grantListItems = {
  subject: grantListItem('subject', 'client ids granted at', maxExternalIdLength),
  issuer: grantListItem('issuer', 'issuers granted at', maxProviderUrlLength),
};
