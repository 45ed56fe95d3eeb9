import { parseApiKeyItem } from '../../../adapters/dynamodb/api-key-item.ts';
import { parseAuditItem } from '../../../adapters/dynamodb/audit-item.ts';
import { parseClientItem } from '../../../adapters/dynamodb/client-item.ts';
import { parseGrantListItem } from '../../../adapters/dynamodb/grant-item.ts';
import {
  parseGivenKeysItem,
  parseIdentityProviderItem,
} from '../../../adapters/dynamodb/identity-provider-item.ts';
import type { Item } from '../../../adapters/dynamodb/item.ts';
import { parsePersonItem } from '../../../adapters/dynamodb/person-item.ts';
import { parseProviderOwnerItem } from '../../../adapters/dynamodb/provider-owner-item.ts';
import {
  parseAlgorithmChoiceItem,
  parseHeartbeatItem,
  parseKeyIntentItem,
} from '../../../adapters/dynamodb/rotation-item.ts';
import { parseSigningKeyItem } from '../../../adapters/dynamodb/signing-key-item.ts';
import { parseTrunkGroupLimitsItem } from '../../../adapters/dynamodb/trunk-group-limits-item.ts';

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
