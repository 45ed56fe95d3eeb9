import { parseApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { parseAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { parseClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { grantListItems } from '../../../adapters/dynamodb/items/grant-item.ts';
import {
  parseGivenKeysItem,
  parseIdentityProviderItem,
} from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { parsePersonItem } from '../../../adapters/dynamodb/items/person-item.ts';
import { providerOwnerItem } from '../../../adapters/dynamodb/items/provider-owner-item.ts';
import {
  algorithmChoiceItem,
  heartbeatItem,
  keyIntentItem,
} from '../../../adapters/dynamodb/items/rotation-item.ts';
import { parseSigningKeyItem } from '../../../adapters/dynamodb/items/signing-key-item.ts';
import { trunkGroupLimitsItem } from '../../../adapters/dynamodb/items/trunk-group-limits-item.ts';

/** What reads each kind of item. A bundle of this file is kept with each release. */
export const parsers = {
  client: parseClientItem,
  api_key: parseApiKeyItem,
  identity_provider: parseIdentityProviderItem,
  given_keys: parseGivenKeysItem,
  signing_key: parseSigningKeyItem,
  key_intent: keyIntentItem.parse,
  region_heartbeat: heartbeatItem.parse,
  key_choice: algorithmChoiceItem.parse,
  audit: parseAuditItem,
  trunk_group_limits: trunkGroupLimitsItem.parse,
  provider_owner: providerOwnerItem.parse,
  subject_grants: grantListItems.subject.parse,
  issuer_grants: grantListItems.issuer.parse,
  person: parsePersonItem,
} as const satisfies Readonly<Record<string, (item: Item) => unknown>>;

export type ItemKind = keyof typeof parsers;
