import { collect } from '../collect.ts';
import type { ManagementContext } from './management-context.ts';
import { findOwner, indexOwners, type ManagedProvider, showOwner } from './provider-reach.ts';
import { findRegisteredIssuer } from './registered-issuer.ts';

/**
 * @throws {InputError} if the text cannot be an issuer.
 * @throws {NotFoundError} if the issuer, exactly as given, is not registered.
 */
export async function findProvider(
  context: ManagementContext,
  issuer: string,
): Promise<ManagedProvider> {
  const provider = await findRegisteredIssuer(context, issuer, 'issuer');
  return showOwner(context, provider, await findOwner(context, provider));
}

/** Every provider that the caller can reach, by issuer. */
export async function listProviders(
  context: ManagementContext,
): Promise<readonly ManagedProvider[]> {
  const providers = await collect(context.identityProviders.listIdentityProviders());
  const owners = await indexOwners(context, providers);
  return providers
    .sort((a, b) => (a.issuer < b.issuer ? -1 : 1))
    .map((provider) => showOwner(context, provider, owners.get(provider.registrationId)));
}
