import { sign } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { readEnvironment } from '../../../contract/environment.ts';
import { tokenPath } from '../../../contract/routes.ts';
import {
  createTokenFunction,
  createTokenHandler,
  type TokenFunction,
} from '../../../lambda/token/function.ts';
import { createClient, createSigningKeys, usualSize } from '../scenario.ts';
import { createLocalKey } from './local-key.ts';
import { type Place, serve } from './server-process.ts';

// The token function in a bare server: everything of it but Lambda and API Gateway.

const environment = readEnvironment('token', process.env);

function createInMemory(): TokenFunction {
  const { privateKey, publicSpki } = createLocalKey();
  const client = createClient(usualSize);
  const keys = createSigningKeys(publicSpki, usualSize);
  return createTokenFunction(environment, {
    clients: { findClient: () => Promise.resolve(client) },
    secretUses: { recordSecretUse: () => Promise.resolve() },
    signingKeys: { listSigningKeys: () => Promise.resolve(keys) },
    sign: (_key, input) => Promise.resolve(sign('sha256', input, privateKey)),
  });
}

const place = process.env['BENCH_PLACE'] as Place;
const handler =
  place === 'memory'
    ? createInMemory()
    : createTokenHandler(environment, createAwsJsonClients(process.env), {
        loadFederation: () => import('../../../lambda/token/federated.ts'),
      });

const context = { functionName: 'token', awsRequestId: 'bench' } as Parameters<TokenFunction>[1];

function toEvent(request: IncomingMessage, body: string): APIGatewayProxyEvent {
  const multiValueHeaders = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [String(value)]]),
  );
  return {
    httpMethod: request.method ?? '',
    resource: tokenPath,
    path: tokenPath,
    multiValueHeaders,
    multiValueQueryStringParameters: null,
    body,
    isBase64Encoded: false,
    requestContext: {
      requestId: 'bench',
      requestTimeEpoch: Date.now(),
      // A benchmark of floods has requests come from many addresses.
      identity: { sourceIp: String(request.headers['x-source'] ?? '127.0.0.1') },
    },
  } as unknown as APIGatewayProxyEvent;
}

const listener: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    void handler(toEvent(request, body), context).then((answer) => {
      response.writeHead(answer.statusCode, answer.headers).end(answer.body);
    });
  });
};

await serve(listener);
