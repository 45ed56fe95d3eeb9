import { noStoreHeaders, unsupportedResponseTypeBody } from '../../contract/error-body.ts';
import type { Settings } from '../../contract/function-settings.ts';
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
  settings: Settings<'discovery'>,
  options: Partial<FunctionOptions> = {},
): HttpFunction {
  const document = createDocument(buildMetadata(settings), settings.documentMaxAge);
  const serve: Endpoint = (request, exchange) => serveDocument(request, exchange, () => document);
  return createHttpFunction({
    ...resolveOptions('discovery', {}, options),
    name: 'discovery',
    endpoints: new Map([
      [openidConfigurationPath, serve],
      [oauthAuthorizationServerPath, serve],
      ...(settings.authorizationEndpoint
        ? [[authorizationPath, refuseAuthorization] as const]
        : []),
    ]),
    headers: documentHeaders,
  });
}
