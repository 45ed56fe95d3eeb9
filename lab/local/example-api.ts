import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { defaultBearerRealm } from '../../contract/bearer-challenge.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { methodNotAllowedBody, noStoreHeaders } from '../../contract/error-body.ts';
import { functionSettings } from '../../contract/function-settings.ts';
import { bearerGatewayResponses } from '../../contract/platform-authorizer.ts';
import type { OnLookupFailure } from '../../contract/revocation-check.ts';
import { apiKeyUseTableName } from '../../contract/tables.ts';
import type { Clock } from '../../core/time.ts';
import { findProofMode } from '../../core/token/access-token-claims.ts';
import type { AuthorizerFunction } from '../../lambda/authorizer/function.ts';
import { createAuthorizerHandler } from '../../lambda/authorizer/function.ts';
import type { Telemetry } from '../../lambda/shared/telemetry.ts';
import type { GatewayRoute } from '../emulator/gateway/gateway-route.ts';
import { exampleScopes } from './local-deployment.ts';

/** An example of a platform team's API, on which a token can be used. */
export const examplePath = '/example/messages';

/** The first scopes of the catalogue, as a config of one's own may have no `messaging:view`. */
function requiredScopes(config: DeploymentConfig): Readonly<Record<string, string>> {
  const [view = '', manage = view] = exampleScopes(config);
  return {
    [`GET ${examplePath}`]: view,
    [`POST ${examplePath}`]: manage,
    [`ANY ${examplePath}`]: '',
  };
}

interface ExampleApiOptions {
  readonly config: DeploymentConfig;
  readonly issuer: string;
  readonly aws: Pick<AwsJsonClients, 'dynamodb' | 'createOptionalDynamoDb'>;
  readonly telemetry: Telemetry;
  /** Certificates to trust in addition to those of Node, PEM. */
  readonly ca: string | undefined;
  /** What happens if a client cannot be looked up. Undefined: none is looked up. */
  readonly checkRevocation?: OnLookupFailure | undefined;
  readonly clock?: Clock;
}

/** Created at the first request, as in Lambda: then the service has its first signing key. */
function createAuthorizer(options: ExampleApiOptions): AuthorizerFunction {
  const { config, issuer, aws, telemetry, ca, checkRevocation, clock } = options;
  const settings = functionSettings.authorizer({
    issuer,
    tables: config.tablesName ?? config.name,
    audiences: [config.defaultAudience],
    requiredScopes: requiredScopes(config),
    accessTokenType: config.accessTokenType,
    resultCacheTtl: 0,
    dpop: config.dpop && findProofMode(config.dpop, config.defaultAudience),
    dpopOrigins: [new URL(issuer).origin],
    dpopAlgorithms: config.dpop?.algorithms,
    apiKeyUses: apiKeyUseTableName(config.name),
    revocation: checkRevocation && { onLookupFailure: checkRevocation },
  });
  let authorizer: AuthorizerFunction | undefined;
  return (event, context) => {
    authorizer ??= createAuthorizerHandler(settings, aws, {
      telemetry,
      ca,
      allowLoopback: true,
      ...(clock !== undefined && { clock }),
    });
    return authorizer(event, context);
  };
}

function json(statusCode: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** Shows the caller that the authorizer returns. */
async function answer({ httpMethod, requestContext }: APIGatewayProxyEvent) {
  const caller = requestContext.authorizer ?? {};
  const messages = [{ from: '+15550100', to: '+15550101', text: 'Hello' }];
  if (httpMethod === 'GET') return json(200, { items: messages, caller });
  if (httpMethod === 'POST') return json(202, { accepted: true, caller });
  return json(405, methodNotAllowedBody, { ...noStoreHeaders, Allow: 'GET, POST' });
}

/**
 * An API behind the authorizer: GET needs the first scope of the catalogue, POST the second. It is
 * not part of the service or of any stack.
 */
export function createExampleRoute(options: ExampleApiOptions): GatewayRoute {
  return {
    path: examplePath,
    functionName: `${options.config.name}-example`,
    handler: answer,
    authorizer: {
      functionName: `${options.config.name}-authorizer`,
      handler: createAuthorizer(options),
    },
    errors: bearerGatewayResponses({
      realm: defaultBearerRealm,
      proofAlgs: options.config.dpop?.algorithms.join(' '),
    }),
  };
}
