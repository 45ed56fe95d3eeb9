import type { Environment } from '../../contract/environment.ts';
import { oauthAuthorizationServerPath, openidConfigurationPath } from '../../contract/routes.ts';
import { buildMetadata } from '../../core/discovery/metadata.ts';
import type { Endpoint } from '../shared/dispatch.ts';
import { createDocument, documentHeaders, serveDocument } from '../shared/document-endpoint.ts';
import { type FunctionOptions, resolveOptions } from '../shared/function-options.ts';
import { createHttpFunction, type HttpFunction } from '../shared/http-function.ts';

/** Both discovery documents: the same bytes on every host. */
export function createDiscoveryHandler(
  environment: Environment<'discovery'>,
  options: Partial<FunctionOptions> = {},
): HttpFunction {
  const metadata = buildMetadata({
    issuer: environment.AUTH_ISSUER,
    regionalTokenEndpoints: environment.AUTH_REGIONAL_TOKEN_ENDPOINTS,
    signingAlgorithms: environment.AUTH_SIGNING_ALGORITHMS,
    scopesSupported: environment.AUTH_SCOPES_SUPPORTED,
  });
  const document = createDocument(metadata, environment.AUTH_DOCUMENT_MAX_AGE);
  const serve: Endpoint = (request, exchange) => serveDocument(request, exchange, () => document);
  return createHttpFunction({
    ...resolveOptions('discovery', {}, options),
    name: 'discovery',
    endpoints: new Map([
      [openidConfigurationPath, serve],
      [oauthAuthorizationServerPath, serve],
    ]),
    headers: documentHeaders,
  });
}
