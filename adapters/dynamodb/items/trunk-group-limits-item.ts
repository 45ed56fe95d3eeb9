import * as v from 'valibot';
import { maxLimitedItems, maxLimitProviders, maxOwnProviders } from '../../../contract/limits.ts';
import { settingRecordTypes } from '../../../contract/tables.ts';
import { epochSeconds, text, urlText, version, wholeNumber } from './item.ts';
import { partitionItem } from './partition-item.ts';

const count = v.optional(wholeNumber(0, maxLimitedItems));
const seconds = v.optional(wholeNumber(1, Number.POSITIVE_INFINITY));
/** A catalogue of scopes is a part of a deployment config: it has hundreds at most. */
const maxScopes = 10_000;

export const trunkGroupLimitsItem = partitionItem({
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
    version,
    updated_at: epochSeconds,
  },
});
