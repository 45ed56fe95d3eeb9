import { keyMetrics } from '../../contract/alarms.ts';
import type { Environment } from '../../contract/environment.ts';
import { jwksPath } from '../../contract/routes.ts';
import { UnavailableError } from '../../core/errors.ts';
import { SigningKeyCache } from '../../core/signing-key/signing-key-cache.ts';
import type { SigningKeyReader } from '../../core/signing-key/signing-key-store.ts';
import { describeError } from '../shared/describe-error.ts';
import { documentHeaders, serveDocument } from '../shared/document-endpoint.ts';
import type { Exchange } from '../shared/exchange.ts';
import { type FunctionOptions, resolveOptions, seconds } from '../shared/function-options.ts';
import { createHttpFunction, type Endpoint, type HttpFunction } from '../shared/http-function.ts';
import { createJwksDocuments } from './jwks-document.ts';

/** The answer is good, and nobody would look for why it is the old one. */
function noteStaleList(exchange: Exchange, failure: unknown): void {
  if (failure === undefined) return;
  const { error_name, error_message } = describeError(failure);
  Object.assign(exchange.fields, {
    key_list_error_name: error_name,
    key_list_error_message: error_message,
  });
}

/** The JWKS, from the stored public keys: it needs no KMS. */
export function createJwksFunction(
  environment: Environment<'jwks'>,
  signingKeys: SigningKeyReader,
  given: Partial<FunctionOptions> = {},
): HttpFunction {
  const options = resolveOptions('jwks', {}, given);
  const cache = new SigningKeyCache(signingKeys, {
    refreshInterval: environment.AUTH_KEY_LIST_REFRESH,
    // Old keys verify more than no keys, and each leaves at its own time all the same.
    maxAge: Number.POSITIVE_INFINITY,
  });
  const documentOf = createJwksDocuments(environment.AUTH_JWKS_MAX_AGE);
  const serve: Endpoint = (request, exchange) =>
    serveDocument(request, exchange, async () => {
      const now = seconds(exchange.startedAt);
      try {
        const keys = await cache.listSigningKeys(now, { signal: exchange.signal });
        noteStaleList(exchange, cache.failure);
        return documentOf(keys, now);
      } catch (error) {
        if (error instanceof UnavailableError) exchange.counts.add(keyMetrics.jwksEmpty);
        throw error;
      }
    });
  return createHttpFunction({
    ...options,
    name: 'jwks',
    endpoints: new Map([[jwksPath, serve]]),
    headers: documentHeaders,
  });
}
