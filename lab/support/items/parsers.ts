import { parseApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { parseAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { parseClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { parseGrantListItem } from '../../../adapters/dynamodb/items/grant-item.ts';
import {
  parseGivenKeysItem,
  parseIdentityProviderItem,
} from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { parsePersonItem } from '../../../adapters/dynamodb/items/person-item.ts';
import { parseProviderOwnerItem } from '../../../adapters/dynamodb/items/provider-owner-item.ts';
import {
  parseAlgorithmChoiceItem,
  parseHeartbeatItem,
  parseKeyIntentItem,
} from '../../../adapters/dynamodb/items/rotation-item.ts';
import { parseSigningKeyItem } from '../../../adapters/dynamodb/items/signing-key-item.ts';
import { parseTrunkGroupLimitsItem } from '../../../adapters/dynamodb/items/trunk-group-limits-item.ts';

/** What reads each kind of item. A bundle of this file is kept with each release. */
export const parsers = {
  client: parseClientItem,
  api_key: parseApiKeyItem,
  identity_provider: parseIdentityProviderItem,
  given_keys: parseGivenKeysItem,
  signing_key: parseSigningKeyItem,
  key_intent: parseKeyIntentItem,
  region_heartbeat: parseHeartbeatItem,
  key_choice: parseAlgorithmChoiceItem,
  audit: parseAuditItem,
  trunk_group_limits: parseTrunkGroupLimitsItem,
  provider_owner: parseProviderOwnerItem,
  subject_grants: (item: Item) => parseGrantListItem('subject', item),
  issuer_grants: (item: Item) => parseGrantListItem('issuer', item),
  person: parsePersonItem,
} as const satisfies Readonly<Record<string, (item: Item) => unknown>>;

export type ItemKind = keyof typeof parsers;
