import type { IncomingMessage } from 'node:http';
import type { App } from 'aws-cdk-lib';
import type { Integration, Resource, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Express } from 'express';
import type { FastifyInstance } from 'fastify';
import type { Hono } from 'hono';
import { createManagement, type Management } from '../../adapters/management.ts';
import {
  type DeploymentConfig,
  deployedRegions,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { startLocal } from '../../lab/local/local-service.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { OAuthClient } from '../../lib/oauth-client.ts';
import { PlatformAuthorizer } from '../../lib/platform-authorizer.ts';
import { synthesiseApp } from '../../lib/synthesise-app.ts';
import { createPortal } from '../../portal/create-portal.ts';
import { createDynamoDbLookups } from '../../verifier/dynamodb-lookups.ts';
import { callerOf, createExpressMiddleware } from '../../verifier/express.ts';
import { createFastifyHooks } from '../../verifier/fastify.ts';
import { createHonoMiddleware } from '../../verifier/hono.ts';
import { authorizationOf, createVerifier, type Verifier } from '../../verifier/verifier.ts';

/** What the examples of the packages' entries take as known. */
interface Known {
  readonly app: App;
  readonly restApi: RestApi;
  readonly messages: Resource;
  readonly integration: Integration;
  readonly issuer: string;
  readonly audiences: readonly string[];
}

/** Each example, so that it compiles: `entries.test.ts` compares them. None is ever run. */
export function constructs({ app, restApi, messages, integration, ...known }: Known): void {
  const { issuer, audiences } = known;
  const scope = app;
  synthesiseApp({ config: 'config/production.json' });
  {
    const parsed = parseDeploymentConfig({
      regions: { slc: { awsRegion: 'us-west-2' } },
      defaultAudience: 'https://api.example.com',
      scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
    });
    const awsRegions = deployedRegions(parsed).map(({ awsRegion }) => awsRegion);
    const config = {} as Parameters<typeof parseDeploymentConfig>[0];
    const { regions, portal } = addAuthorizationServer(app, parseDeploymentConfig(config));
    void [awsRegions, regions, portal];
  }
  const billing = new OAuthClient(scope, 'Billing', {
    deploymentAccount: '111122223333',
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  void billing.clientId;
  const authorizer = new PlatformAuthorizer(scope, 'Authorizer', { restApi, issuer, audiences });
  messages.addMethod('GET', integration, authorizer.requireScopes('messaging:view'));
}

interface KnownService {
  readonly config: DeploymentConfig;
  readonly name: string;
  readonly serviceTrunkGroup: string;
  readonly scopes: readonly string[];
  readonly management: Management;
  readonly nameOf: (request: Request) => Promise<string>;
}

export async function management({ config, ...known }: KnownService): Promise<void> {
  const { name, serviceTrunkGroup, scopes, nameOf } = known;
  {
    const management = createManagement({ config });
    const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
    const { value } = await management.createClientSecret(client.clientId, {});
    void value;
  }
  const { management } = known;
  {
    const { fetch } = createPortal({
      management,
      identify: async (request) => ({ name: await nameOf(request), role: 'viewer' }),
      origins: ['https://portal.example.com'],
    });
    void fetch;
  }
  const auth = await startLocal({
    clients: { reader: { name: 'Reader', serviceTrunkGroup: 'tg-1', scopes: ['messaging:view'] } },
  });
  const token = await auth.getToken('reader');
  await auth.close();
  void token;
}

interface KnownApi {
  readonly issuer: string;
  readonly audience: string;
  readonly request: IncomingMessage;
  readonly messagesOf: (serviceTrunkGroup: string) => object;
}

export async function verifiers({ issuer, audience, request }: KnownApi): Promise<void> {
  const authorization = authorizationOf(request);
  const verifier = createVerifier({ issuer, audience: 'https://api.example.com' });
  const { serviceTrunkGroup } = await verifier.verify({ authorization }, ['messaging:view']);
  const { apiKeys, providers } = createDynamoDbLookups({ region: 'us-west-2', cacheSeconds: 10 });
  const ofTables = createVerifier({ issuer, audience, apiKeys, providers });
  void [serviceTrunkGroup, ofTables];
}

interface Frameworks {
  readonly express: Express;
  readonly fastify: FastifyInstance;
  readonly hono: Hono;
}

export function middleware(
  { express, fastify, hono }: Frameworks,
  verifier: Verifier,
  { request, messagesOf }: KnownApi,
): void {
  const { credential, serviceTrunkGroup } = callerOf(request);
  void [credential, serviceTrunkGroup];
  {
    const { requireScopes } = createExpressMiddleware(verifier);
    express.get('/messages', requireScopes('messaging:view'), (request, response) => {
      response.json(messagesOf(callerOf(request).serviceTrunkGroup));
    });
  }
  {
    const { requireScopes } = createFastifyHooks(verifier);
    fastify.get('/messages', { onRequest: requireScopes('messaging:view') }, async (request) =>
      messagesOf(callerOf(request).serviceTrunkGroup),
    );
  }
  {
    const { requireScopes } = createHonoMiddleware(verifier);
    hono.get('/messages', requireScopes('messaging:view'), (context) =>
      context.json(messagesOf(callerOf(context).serviceTrunkGroup)),
    );
  }
}
