import { collect } from '../collect.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import type { ManagementContext } from './management-context.ts';
import { findRegisteredIssuer } from './registered-issuer.ts';

/**
 * @throws {InputError} if the text cannot be an issuer.
 * @throws {NotFoundError} if the issuer, exactly as given, is not registered.
 */
export async function findProvider(
  context: ManagementContext,
  issuer: string,
): Promise<IdentityProvider> {
  return findRegisteredIssuer(context, issuer, 'issuer');
}

/** Every provider, by issuer. */
export async function listProviders(
  context: ManagementContext,
): Promise<readonly IdentityProvider[]> {
  const providers = await collect(context.identityProviders.listIdentityProviders());
  return providers.sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
}
