import type { Environment } from '../../contract/environment.ts';
import { noStoreHeaders, unsupportedResponseTypeBody } from '../../contract/error-body.ts';
import {
  authorizationPath,
  oauthAuthorizationServerPath,
  openidConfigurationPath,
} from '../../contract/routes.ts';
import { buildMetadata } from '../../core/discovery/metadata.ts';
import type { Endpoint } from '../shared/exchange.ts';
import {
  createDocument,
  createHttpFunction,
  documentHeaders,
  type HttpFunction,
  serveDocument,
} from '../shared/http-function.ts';
import { jsonResponse } from '../shared/http-message.ts';
import { type FunctionOptions, resolveOptions } from '../shared/telemetry.ts';

/** Reads nothing of the request and never redirects: no one can be sent anywhere from here. */
const refuseAuthorization: Endpoint = (_request, exchange) => {
  exchange.outcome = unsupportedResponseTypeBody.error;
  return jsonResponse(400, unsupportedResponseTypeBody, noStoreHeaders);
};

/** Both discovery documents, the same bytes on every host, and the endpoint that refuses. */
export function createDiscoveryHandler(
  environment: Environment<'discovery'>,
  options: Partial<FunctionOptions> = {},
): HttpFunction {
  const authorizationEndpoint = environment.AUTH_AUTHORIZATION_ENDPOINT === '1';
  const metadata = buildMetadata({
    issuer: environment.AUTH_ISSUER,
    regionalTokenEndpoints: environment.AUTH_REGIONAL_TOKEN_ENDPOINTS,
    signingAlgorithms: environment.AUTH_SIGNING_ALGORITHMS,
    scopesSupported: environment.AUTH_SCOPES_SUPPORTED,
    authorizationEndpoint,
    federatedClients: environment.AUTH_FEDERATED_CLIENTS === '1',
    clientKeys: environment.AUTH_CLIENT_KEYS,
    keysOnly: environment.AUTH_KEYS_ONLY === '1',
    proofs: environment.AUTH_DPOP_ALGORITHMS,
  });
  const document = createDocument(metadata, environment.AUTH_DOCUMENT_MAX_AGE);
  const serve: Endpoint = (request, exchange) => serveDocument(request, exchange, () => document);
  return createHttpFunction({
    ...resolveOptions('discovery', {}, options),
    name: 'discovery',
    endpoints: new Map([
      [openidConfigurationPath, serve],
      [oauthAuthorizationServerPath, serve],
      ...(authorizationEndpoint ? [[authorizationPath, refuseAuthorization] as const] : []),
    ]),
    headers: documentHeaders,
  });
}
