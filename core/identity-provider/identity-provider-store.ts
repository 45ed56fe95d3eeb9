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
   * The same, also of a provider that the caller cannot reach. It only decides: it is not shown to
   * such a caller.
   */
  findRegistration(issuer: string): Promise<IdentityProvider | undefined>;
  /** Every provider, also those that the caller cannot reach. They only decide, too. */
  listRegistrations(): AsyncIterable<IdentityProvider>;
  /** @throws {ConflictError} if the issuer is registered. */
  createIdentityProvider(provider: IdentityProvider): Promise<void>;
  /** @throws {ConflictError} if the stored registration is another. */
  deleteIdentityProvider(issuer: string, registrationId: string): Promise<void>;
  /** Every provider, in no particular order. */
  listIdentityProviders(): AsyncIterable<IdentityProvider>;
}
