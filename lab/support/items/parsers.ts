import { parseApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { parseAuditItem } from '../../../adapters/dynamodb/items/audit-item.ts';
import { parseClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import {
  parseGivenKeysItem,
  parseIdentityProviderItem,
} from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import {
  algorithmChoiceItem,
  canaryRunItem,
  heartbeatItem,
  keyIntentItem,
} from '../../../adapters/dynamodb/items/rotation-item.ts';
import { settingItems } from '../../../adapters/dynamodb/items/setting-items.ts';
import { signingKeyItem } from '../../../adapters/dynamodb/items/signing-key-item.ts';

/** What reads each kind of item. */
export const parsers = {
  client: parseClientItem,
  api_key: parseApiKeyItem,
  identity_provider: parseIdentityProviderItem,
  given_keys: parseGivenKeysItem,
  signing_key: signingKeyItem.parse,
  key_intent: keyIntentItem.parse,
  region_heartbeat: heartbeatItem.parse,
  key_choice: algorithmChoiceItem.parse,
  canary_run: canaryRunItem.parse,
  audit: parseAuditItem,
  trunk_group_limits: settingItems.limits.parse,
  provider_owner: settingItems.owner.parse,
  subject_grants: settingItems.subject.parse,
  issuer_grants: settingItems.issuer.parse,
  person: settingItems.person.parse,
} as const satisfies Readonly<Record<string, (item: Item) => unknown>>;

export type ItemKind = keyof typeof parsers;
