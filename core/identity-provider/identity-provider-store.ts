import type { PortOptions } from '../port.ts';
import type { IdentityProvider } from './identity-provider.ts';

/** What the verifier needs of identity providers. */
export interface IdentityProviderReader {
  /**
   * @returns undefined if the issuer is not registered.
   * @throws {MalformedRecordError} if the stored item cannot be read.
   * @throws {UnavailableError} if the store does not answer in time.
   */
  findIdentityProvider(
    issuer: string,
    options?: PortOptions,
  ): Promise<IdentityProvider | undefined>;
}

/** What management also needs. */
export interface IdentityProviderStore extends IdentityProviderReader {
  /**
   * The same, also of a provider that belongs to other trunk groups. It only decides: it is not shown to a caller who cannot
   * reach the provider.
   */
  findRegistration(issuer: string): Promise<IdentityProvider | undefined>;
  /** @throws {ConflictError} if the issuer is registered. */
  createIdentityProvider(provider: IdentityProvider): Promise<void>;
  /** @throws {ConflictError} if the stored registration is another. */
  deleteIdentityProvider(issuer: string, registrationId: string): Promise<void>;
  /** Every provider, in no particular order. */
  listIdentityProviders(): AsyncIterable<IdentityProvider>;
}
