import { InputError, RefusedError } from '../errors.ts';
import { FetchError } from '../identity-provider/fetch-json.ts';
import { lintKeySet, type ProviderKeySet } from '../identity-provider/key-lint.ts';
import { isProviderAlg } from '../identity-provider/provider-algorithms.ts';
import { findProvider } from './identity-providers.ts';
import type { ManagementContext } from './management-context.ts';

/** The keys that a registered provider publishes at present, or why they cannot be used. */
export type ProviderKeys =
  | { readonly keySet: ProviderKeySet; readonly problem?: undefined }
  | { readonly keySet?: undefined; readonly problem: string };

/**
 * Fetches the keys of a registered provider, as the verifier does.
 *
 * @throws {NotFoundError} if the issuer is not registered.
 */
export async function inspectProviderKeys(
  context: ManagementContext,
  issuer: string,
): Promise<ProviderKeys> {
  const provider = await findProvider(context, issuer);
  try {
    const document = await context.fetchJson(provider.jwksUri);
    return { keySet: lintKeySet(document, provider.allowedAlgorithms.filter(isProviderAlg)) };
  } catch (error) {
    const isProblem =
      error instanceof FetchError || error instanceof RefusedError || error instanceof InputError;
    if (!isProblem) throw error;
    return { problem: error.message };
  }
}
