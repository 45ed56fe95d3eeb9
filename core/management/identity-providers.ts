import { collect } from '../collect.ts';
import type { ManagementContext } from './management-context.ts';
import {
  findOwner,
  isShown,
  type ManagedProvider,
  showOwner,
  showOwners,
} from './provider-reach.ts';
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
  if (isShown(provider)) return provider;
  return showOwner(context, provider, await findOwner(context, provider));
}

/** Every provider that the caller can reach, by issuer. */
export async function listProviders(
  context: ManagementContext,
): Promise<readonly ManagedProvider[]> {
  const providers = await collect(context.identityProviders.listIdentityProviders());
  const sorted = providers.sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
  return showOwners(context, sorted);
}
