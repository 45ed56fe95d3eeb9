import type { ApiKey } from '../api-key/api-key.ts';
import type { StoredPerson } from '../audit/person-name.ts';
import type { Client } from '../client/client.ts';
import type { GrantKind, GrantList } from '../identity-provider/grant.ts';
import type { IdentityProvider, ProviderOwner } from '../identity-provider/identity-provider.ts';
import type { TrunkGroupLimits } from '../trunk-group/trunk-group-limits.ts';

/** The records of a restored table of settings, by kind. */
export interface StoredSettings {
  readonly limits: () => AsyncIterable<TrunkGroupLimits>;
  readonly owners: () => AsyncIterable<ProviderOwner>;
  readonly grants: (kind: GrantKind) => AsyncIterable<GrantList>;
  readonly people: () => AsyncIterable<StoredPerson>;
}

/** Items of the restored tables, by kind. */
export interface RestoredTables {
  readonly clients: () => AsyncIterable<Client>;
  readonly apiKeys: () => AsyncIterable<ApiKey>;
  readonly identityProviders: () => AsyncIterable<IdentityProvider>;
  readonly settings: StoredSettings;
}
