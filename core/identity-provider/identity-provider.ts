import type { PortOptions } from '../port.ts';
import type { Stoppable } from '../stops.ts';

/** A registered OpenID Connect identity provider. Only whose it is can be edited. */
export interface IdentityProvider extends Stoppable {
  /** Exactly as in the discovery document and in the `iss` of its tokens. */
  readonly issuer: string;
  /** New with each registration; clients under the provider carry it. */
  readonly registrationId: string;
  readonly discoveryUrl: string;
  readonly jwksUri: string;
  /** The only `alg` values that its tokens may have. */
  readonly allowedAlgorithms: readonly string[];
  /** The claim that names the client; see `defaultClientIdClaims` if left out. */
  readonly clientIdClaim?: string | undefined;
  /** `scope`: names the audience of tokens without `aud`. Left out: such a token is refused. */
  readonly audienceFrom?: 'scope' | undefined;
  /** Whether the id of a client under the provider may be a pattern; see `patternsOf`. */
  readonly clientPatterns?: true | undefined;
  /**
   * Whether it was registered for some trunk groups. The registration itself says so: if the record
   * of its owner is missing, the provider is open to no trunk group.
   */
  readonly owned?: true | undefined;
  /** The first of the trunk groups whose own it is now. Left out: it is the platform's. */
  readonly ownedBy?: string | undefined;
  /** Seconds by which its clock may differ at platform APIs; `verifierLeeway` if left out. */
  readonly leeway?: number | undefined;
  /** Seconds since the epoch. */
  readonly registeredAt: number;
}

/** What is kept of a provider in a record of its own. */
interface OfProvider {
  readonly issuer: string;
  /** What is of another registration is no one's. */
  readonly registrationId: string;
  readonly version: number;
  /** Seconds since the epoch. */
  readonly updatedAt: number;
}

/** Keys that the staff gave for a provider, which are never fetched; see docs/adr/0116. */
export interface GivenKeys extends OfProvider {
  /** A JWK set, as it was given. */
  readonly jwks: string;
}

/** What the verifier needs of identity providers. */
export interface IdentityProviderReader {
  /** @returns undefined if the issuer is not registered. */
  findIdentityProvider(
    issuer: string,
    options?: PortOptions,
  ): Promise<IdentityProvider | undefined>;
  /** The keys of a provider that is never fetched. Left out: there is no such provider. */
  findGivenKeys?(issuer: string): Promise<GivenKeys | undefined>;
}

/** What management also needs. */
export interface IdentityProviderStore extends Required<IdentityProviderReader> {
  /** @throws {ConflictError} if the stored version is not `keys.version - 1`. */
  putGivenKeys(keys: GivenKeys): Promise<void>;
  /**
   * The same, also of a provider that the caller cannot reach. It only decides: it is not shown to
   * such a caller.
   */
  findRegistration(issuer: string): Promise<IdentityProvider | undefined>;
  /** Every provider, also those that the caller cannot reach. They only decide, too. */
  listRegistrations(): AsyncIterable<IdentityProvider>;
  /** @throws {ConflictError} if the issuer is registered. */
  createIdentityProvider(provider: IdentityProvider): Promise<void>;
  /** @throws {ConflictError} if the stored registration, or what stops it, is another than before. */
  replaceIdentityProvider(provider: IdentityProvider, before: Stoppable): Promise<void>;
  /** @throws {ConflictError} if the stored registration is another. */
  deleteIdentityProvider(issuer: string, registrationId: string): Promise<void>;
  /** Every provider, in no particular order. */
  listIdentityProviders(): AsyncIterable<IdentityProvider>;
}

/**
 * The service trunk groups that registered a provider for themselves. It is a record of its own,
 * which is never deleted: a provider that is restored has its owner again.
 */
export interface ProviderOwner extends OfProvider {
  /** None: the platform's staff has taken the provider over. */
  readonly trunkGroups: readonly string[];
}

export function hasOwner({ owned }: Pick<IdentityProvider, 'owned'>): boolean {
  return owned === true;
}

/** What a provider says of whose it is now. @param trunkGroups none: the platform's. */
export function ownedBy(trunkGroups: readonly string[]): Pick<IdentityProvider, 'ownedBy'> {
  const [first] = trunkGroups.toSorted();
  return { ownedBy: first };
}
