import type { IdentityProvider } from './identity-provider.ts';

/**
 * The service trunk groups that registered a provider for themselves. It is a record of its own, as
 * installed verifiers read providers strictly. Records are never deleted: a provider that is
 * restored has its owner again.
 */
export interface ProviderOwner {
  readonly registrationId: string;
  readonly issuer: string;
  /** None: the platform's staff has taken the provider over. */
  readonly trunkGroups: readonly string[];
  readonly version: number;
  /** Seconds since the epoch. */
  readonly updatedAt: number;
}

export interface ProviderOwnerStore {
  /** @throws {MalformedRecordError} if the stored item cannot be read. */
  findOwner(registrationId: string): Promise<ProviderOwner | undefined>;
  /**
   * The owners of these registrations, by registration. One whose record is missing or cannot be read
   * is left out.
   */
  findOwners(registrationIds: readonly string[]): Promise<ReadonlyMap<string, ProviderOwner>>;
  /** @throws {ConflictError} if the stored version is not `owner.version - 1`. */
  putOwner(owner: ProviderOwner): Promise<void>;
}

const ownedPrefix = 'own_';

/** The id of a registration for some trunk groups. */
export function ownedRegistrationId(registrationId: string): string {
  return ownedPrefix + registrationId;
}

/**
 * Whether a provider was registered for some trunk groups. The registration itself says so: if the
 * record of its owner is missing, the provider is open to no trunk group.
 */
export function hasOwner({ registrationId }: Pick<IdentityProvider, 'registrationId'>): boolean {
  return registrationId.startsWith(ownedPrefix);
}
