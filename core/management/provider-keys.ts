import { InputError, RefusedError } from '../errors.ts';
import { FetchError } from '../identity-provider/fetch-json.ts';
import type { ProviderKeySet } from '../identity-provider/key-lint.ts';
import { providerJwksSource } from '../verifier/provider-token.ts';
import { findProvider } from './identity-providers.ts';
import type { ManagementContext } from './management-context.ts';

/** The keys that a registered provider publishes at present, or why they cannot be used. */
export type ProviderKeys =
  | { readonly keySet: ProviderKeySet; readonly problem?: undefined }
  | { readonly keySet?: undefined; readonly problem: string };

/**
 * The keys of a registered provider, as the verifier fetches them: at most once in half a minute, and
 * less often while it fails.
 *
 * @throws {NotFoundError} if the issuer is not registered.
 */
export async function inspectProviderKeys(
  context: ManagementContext,
  issuer: string,
): Promise<ProviderKeys> {
  const provider = await findProvider(context, issuer);
  try {
    return { keySet: await context.providerKeys.readKeySet(providerJwksSource(provider)) };
  } catch (error) {
    const isProblem =
      error instanceof FetchError || error instanceof RefusedError || error instanceof InputError;
    if (!isProblem) throw error;
    return { problem: error.message };
  }
}
