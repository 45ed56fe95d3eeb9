import { NotFoundError } from '../../errors.ts';
import type { IdentityProvider } from '../../identity-provider/identity-provider.ts';
import { isProviderUrlText, issuerVariants } from '../../identity-provider/provider-url.ts';
import type { ManagementContext } from '../management-context.ts';

/** Says which registered issuer may have been meant: issuers are compared character by character. */
export async function findIssuerHint(
  { identityProviders }: Pick<ManagementContext, 'identityProviders'>,
  issuer: string,
): Promise<string | undefined> {
  for (const variant of issuerVariants(issuer).filter(isProviderUrlText)) {
    const found = await identityProviders.findIdentityProvider(variant);
    if (found === undefined) continue;
    const slash = found.issuer.endsWith('/')
      ? 'with a slash at the end'
      : 'without a slash at the end';
    return `registered is ${JSON.stringify(found.issuer)}, ${slash}`;
  }
  return undefined;
}

/** @throws {NotFoundError} if the issuer, exactly as given, is not registered. */
export async function getRegisteredIssuer(
  context: Pick<ManagementContext, 'identityProviders'>,
  issuer: string,
): Promise<IdentityProvider> {
  const found = await context.identityProviders.findIdentityProvider(issuer);
  if (found !== undefined) return found;
  throw new NotFoundError('provider', issuer, await findIssuerHint(context, issuer));
}
