import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lambdaBuildOptions } from '../../../lab/build/main.ts';
import { createGateway } from '../../../lab/emulator/gateway/gateway.ts';
import type { RouteError } from '../../../lab/emulator/gateway/gateway-route.ts';
import { createGatewayServer } from '../../../lab/emulator/gateway/gateway-server.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import {
  type FunctionProcess,
  startFunctionProcess,
} from '../../../lab/emulator/runtime-api/function-process.ts';
import { FunctionError } from '../../../lab/emulator/runtime-api/runtime-api-server.ts';
import { featureFlags } from '../../../lib/feature-flags.ts';
import {
  PlatformAuthorizer,
  type PlatformAuthorizerProps,
} from '../../../lib/platform-authorizer.ts';
import { resourcesOf } from '../../lib/synthesise.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { answer, startScriptedService } from '../aws-json/scripted-service.ts';
import { fetchToken, useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService();
const folder = makeTemporaryDirectory();

/** A platform team's stack for the running service: GET and POST need one scope each. */
function synthesise(
  bundles: string,
  tables: Pick<PlatformAuthorizerProps, 'deploymentName' | 'tables'>,
): Template {
  const app = new App({ context: { ...featureFlags, 'aws:cdk:disable-stack-trace': true } });
  const stack = new Stack(app, 'Messaging', { env: { region: 'us-west-2' } });
  const restApi = new RestApi(stack, 'Api', { cloudWatchRole: false });
  const authorizer = new PlatformAuthorizer(stack, 'Authorizer', {
    restApi,
    issuer: service().issuer,
    audiences: ['https://api.example.com'],
    ...tables,
    bundles,
  });
  const messages = restApi.root.addResource('messages');
  messages.addMethod('GET', new MockIntegration(), authorizer.requireScopes('messaging:view'));
  messages.addMethod('POST', new MockIntegration(), authorizer.requireScopes('messaging:manage'));
  return Template.fromStack(stack);
}

/** The template's gateway responses, as API Gateway reads them. */
function readErrors(template: Template): readonly RouteError[] {
  const responses = Object.values(resourcesOf(template, 'AWS::ApiGateway::GatewayResponse'));
  return responses.map(({ Properties }) => ({
    type: Properties['ResponseType'],
    status: Number(Properties['StatusCode']),
    headers: Object.fromEntries(
      Object.entries(Properties['ResponseParameters'] as Record<string, string>).map(
        ([name, value]) => [name.replace('gatewayresponse.header.', ''), value.slice(1, -1)],
      ),
    ),
    body: JSON.parse(Properties['ResponseTemplates']['application/json']),
  }));
}

let fn: FunctionProcess;
let server: Server;
let url: string;
let log = '';

/** The built bundle in a process of its own, with the template's environment. */
async function startFunction(
  template: Template,
  taskRoot: string,
  endpoint = service().environment['AWS_ENDPOINT_URL_DYNAMODB'],
): Promise<FunctionProcess> {
  const [lambda] = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = service().environment;
  return startFunctionProcess({
    name: 'authorizer',
    taskRoot,
    awsRegion: 'us-west-2',
    environment: {
      ...lambda?.Properties['Environment'].Variables,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint ?? '',
      AWS_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID ?? '',
      AWS_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY ?? '',
    },
    onOutput: (text) => {
      log += text;
    },
  });
}

/** API Gateway sees the message of what a function threw. */
async function invoke(event: unknown): Promise<unknown> {
  try {
    return (await fn.invoke(event)).payload;
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    const { errorMessage } = JSON.parse(error.message) as { readonly errorMessage: string };
    throw new Error(errorMessage, { cause: error });
  }
}

beforeAll(async () => {
  buildSync(lambdaBuildOptions(['authorizer'], folder.path));
  writeFileSync(join(folder.path, 'authorizer/package.json'), '{"type":"commonjs"}\n');
  const template = synthesise(folder.path, { deploymentName: 'local' });
  fn = await startFunction(template, join(folder.path, 'authorizer'));
  const route = {
    path: '/messages',
    functionName: 'backend',
    handler: async ({ requestContext }: APIGatewayProxyEvent) => ({
      statusCode: 200,
      body: JSON.stringify(requestContext.authorizer),
    }),
    authorizer: { functionName: 'authorizer', handler: invoke },
    errors: readErrors(template),
  };
  server = createGatewayServer(createGateway({ routes: [route] }), undefined);
  await listenOnLoopback(server);
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/messages`;
});

afterAll(async () => {
  server.close();
  await fn.close();
  folder.remove();
});

async function call(authorization: string | undefined, method = 'GET') {
  const headers = authorization === undefined ? {} : { authorization };
  const response = await fetch(url, { method, headers });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    body: await response.json(),
  };
}

const fetchFor = (scope: string) => fetchToken(service(), { scope });

describe("a synthesised stack's own function and gateway responses", () => {
  it('allow a token and an API key', async () => {
    const token = await fetchFor('messaging:view');
    expect(await call(`Bearer ${token}`)).toMatchObject({
      status: 200,
      body: {
        client_id: service().clientId,
        scope: 'messaging:view',
        principalId: service().clientId,
      },
    });
    expect(await call(`Bearer ${service().apiKey}`, 'POST')).toMatchObject({
      status: 200,
      body: { credential: 'api_key', scope: '' },
    });
  });

  it('answer a missing scope with 403 and the scope', async () => {
    const token = await fetchFor('messaging:view');
    expect(await call(`Bearer ${token}`, 'POST')).toMatchObject({
      status: 403,
      challenge: expect.stringContaining('error="insufficient_scope"'),
      body: { error: 'insufficient_scope', scope: 'messaging:manage' },
    });
  });

  it.each([undefined, 'Basic eDp5', 'Bearer x.y.z', 'Bearer ak_x'])(
    'answer %s with 401',
    async (authorization) => {
      expect(await call(authorization)).toMatchObject({
        status: 401,
        challenge: expect.stringContaining('error="invalid_token"'),
        body: { error: 'invalid_token' },
      });
    },
  );

  it('answer a method without scopes with 500, never with access', async () => {
    expect(await call(`Bearer ${service().apiKey}`, 'DELETE')).toMatchObject({
      status: 500,
      body: { error: 'server_error' },
    });
  });
});

describe('the function of a stack with tables of another account', () => {
  it('names them by their ARNs, and signs for their AWS region', async () => {
    const dynamodb = await startScriptedService([answer(200)]);
    onTestFinished(() => dynamodb.close());
    const tables = 'arn:aws:dynamodb:eu-west-1:444455556666:table/authorization-server';
    const template = synthesise(folder.path, { tables });
    const other = await startFunction(template, join(folder.path, 'authorizer'), dynamodb.url);
    onTestFinished(() => other.close());
    const event = {
      httpMethod: 'GET',
      methodArn: 'arn:aws:execute-api:us-west-2:111122223333:api/live/GET/messages',
      multiValueHeaders: { Authorization: [`Bearer ${service().apiKey}`] },
      requestContext: { resourcePath: '/messages', identity: { sourceIp: '127.0.0.1' } },
    };
    await expect(other.invoke(event)).rejects.toThrow('Unauthorized');
    const [request] = dynamodb.requests;
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ TableName: `${tables}-api-keys` });
    expect(request?.headers.authorization).toContain('/eu-west-1/dynamodb/aws4_request');
  });
});
