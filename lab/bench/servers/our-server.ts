import type { IncomingMessage, RequestListener } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { readEnvironment } from '../../../contract/environment.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';
import { serve } from './server-process.ts';

// The token function in a bare server: everything of it but Lambda and API Gateway.

const environment = readEnvironment('token', process.env);

const handler = createTokenHandler(environment, createAwsJsonClients(process.env), {
  loadFederation: () => import('../../../lambda/token/federated.ts'),
});

const context = { functionName: 'token', awsRequestId: 'bench' } as Parameters<typeof handler>[1];

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
      identity: { sourceIp: '127.0.0.1' },
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
