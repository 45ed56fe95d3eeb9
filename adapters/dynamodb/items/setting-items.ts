import * as v from 'valibot';
import {
  maxExternalIdLength,
  maxGrantListBytes,
  maxLimitedItems,
  maxLimitProviders,
  maxNameLength,
  maxOwnProviders,
  maxProviderUrlLength,
  maxTrunkGroupsOfReach,
} from '../../../contract/bounds.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import type { StoredPerson } from '../../../core/audit/person-name.ts';
import type { GrantList } from '../../../core/identity-provider/grant.ts';
import {
  epochSeconds,
  type Item,
  partitionItem,
  text,
  textUpTo,
  urlText,
  version,
  wholeNumber,
} from './item.ts';
import { stops } from './stops.ts';

const count = v.optional(wholeNumber(0, maxLimitedItems));
const seconds = v.optional(wholeNumber(1, Number.POSITIVE_INFINITY));
/** A catalogue of scopes is a part of a deployment config: it has hundreds at most. */
const maxScopes = 10_000;

const limits = partitionItem({
  recordType: settingRecordTypes.limits,
  idName: 'serviceTrunkGroup',
  noun: 'limits of trunk group',
  entries: {
    scopes: v.optional(v.pipe(v.array(text), v.maxLength(maxScopes))),
    max_clients: count,
    max_api_keys: count,
    max_token_lifetime: seconds,
    max_secret_lifetime: seconds,
    max_api_key_lifetime: seconds,
    require_subnet: v.optional(v.boolean()),
    require_api_key_scopes: v.optional(v.boolean()),
    providers: v.optional(v.pipe(v.array(urlText), v.maxLength(maxLimitProviders))),
    own_providers: v.optional(wholeNumber(0, maxOwnProviders)),
    stops,
    version,
    updated_at: epochSeconds,
  },
});

const trunkGroups = v.pipe(v.array(text), v.maxLength(maxTrunkGroupsOfReach), v.readonly());

const owner = partitionItem({
  recordType: settingRecordTypes.owner,
  idName: 'registrationId',
  noun: 'owner of a provider',
  entries: { issuer: urlText, trunk_groups: trunkGroups, version, updated_at: epochSeconds },
});

/** Of one grant as JSON. */
const leastBytes = 30;

/** @param maxValueLength of what is granted. */
function grantListItem(kind: GrantList['kind'], noun: string, maxValueLength: number) {
  const grant = v.strictObject({
    value: textUpTo(maxValueLength),
    trunk_groups: v.pipe(trunkGroups, v.minLength(1)),
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
      const read = ({ value, trunk_groups: groups }: (typeof grants)[number]) => ({
        value,
        trunkGroups: groups,
      });
      return { kind, ...list, grants: grants.map(read) };
    },
    toItem: ({ place, grants, version, updatedAt }: GrantList): Item =>
      stored.toItem({
        place,
        version,
        updatedAt,
        grants: grants.map(({ value, trunkGroups: groups }) => ({ value, trunk_groups: groups })),
      }),
  };
}

const storedPerson = partitionItem({
  recordType: settingRecordTypes.person,
  idName: 'subject',
  /** Of a sort key, DynamoDB takes 1,024 bytes. */
  id: textUpTo(1024),
  noun: 'the name of',
  /** It has no version: each write replaces it whole. An erased one has no name and no groups. */
  entries: {
    name: v.optional(textUpTo(maxNameLength)),
    trunk_groups: v.optional(trunkGroups),
    erased: v.optional(v.literal(true)),
  },
});

const person = {
  ...storedPerson,
  parse: (item: Item): StoredPerson => {
    const { subject, name, trunkGroups: groups } = storedPerson.parse(item);
    return name === undefined ? { subject, erased: true } : { subject, name, trunkGroups: groups };
  },
};

/** The records of the table of settings, and their items. */
export const settingItems = {
  limits,
  owner,
  subject: grantListItem('subject', 'client ids granted at', maxExternalIdLength),
  issuer: grantListItem('issuer', 'issuers granted at', maxProviderUrlLength),
  person,
} satisfies Readonly<Record<keyof typeof settingRecordTypes, object>>;
