import { describe, expect, it, vi } from 'vitest';
import { createGateway } from '../../../../lab/emulator/gateway/gateway.ts';
import type {
  GatewayRequest,
  ProxyHandler,
  RequestAuthorizer,
} from '../../../../lab/emulator/gateway/gateway-route.ts';

const methodArn = 'arn:aws:execute-api:us-west-2:000000000000:local/live/GET/example/messages';

const request: GatewayRequest = {
  method: 'GET',
  target: '/example/messages?limit=1',
  rawHeaders: ['Host', 'localhost', 'Authorization', 'Bearer x'],
  body: Buffer.from('content'),
  sourceIp: '127.0.0.1',
  scheme: 'http',
  port: 8080,
  httpVersion: '1.1',
};

function policy(
  Effect: string,
  Resource: unknown = methodArn,
  Action: unknown = 'execute-api:Invoke',
) {
  return { Version: '2012-10-17', Statement: [{ Effect, Action, Resource }] };
}

function allow(policyDocument: unknown = policy('Allow'), context: unknown = {}) {
  return { principalId: 'somebody', policyDocument, context };
}

function open(authorizer: RequestAuthorizer['handler'], onFunctionError = vi.fn()) {
  const handler = vi.fn<ProxyHandler>(() => Promise.resolve({ statusCode: 200 }));
  const gateway = createGateway({
    routes: [
      {
        path: '/example/messages',
        functionName: 'messages',
        handler,
        authorizer: { functionName: 'authorizer', handler: authorizer },
        errors: [
          {
            type: 'ACCESS_DENIED',
            status: 403,
            headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
            body: { error: 'insufficient_scope', scope: '$context.authorizer.required_scope' },
          },
        ],
      },
    ],
    onFunctionError,
  });
  return { gateway, handler, onFunctionError };
}

describe('a REQUEST authorizer', () => {
  it('sees the request without its body, and the ARN of the method', async () => {
    const authorizer = vi.fn<RequestAuthorizer['handler']>(() => Promise.resolve(allow()));
    await open(authorizer).gateway(request);
    const event = authorizer.mock.calls[0]?.[0];
    expect(event).toMatchObject({
      type: 'REQUEST',
      methodArn,
      resource: '/example/messages',
      httpMethod: 'GET',
      headers: { Authorization: 'Bearer x' },
      queryStringParameters: { limit: '1' },
      requestContext: { identity: { sourceIp: '127.0.0.1' }, resourcePath: '/example/messages' },
    });
    expect(event).not.toHaveProperty('body');
  });

  it('lets the function see its context, all of it text', async () => {
    const context = { scope: 'a b', n: 3, yes: true };
    const { gateway, handler } = open(() => Promise.resolve(allow(policy('Allow'), context)));
    expect((await gateway(request)).status).toBe(200);
    expect(handler.mock.calls[0]?.[0].requestContext.authorizer).toEqual({
      principalId: 'somebody',
      scope: 'a b',
      n: '3',
      yes: 'true',
    });
  });

  it.each([
    ['the method', methodArn],
    ['every method of the API', methodArn.replace(/live.*/, '*')],
    ['one character', methodArn.replace('GET', 'G?T')],
    ['everything', '*'],
    ['one of several', ['arn:other', methodArn]],
  ])('allows %s', async (_, resource) => {
    const { gateway } = open(() => Promise.resolve(allow(policy('Allow', resource))));
    expect((await gateway(request)).status).toBe(200);
  });

  it.each([
    ['denies', policy('Deny')],
    ['allows another method', policy('Allow', methodArn.replace('GET', 'POST'))],
    ['allows a longer path', policy('Allow', `${methodArn}/x`)],
    ['allows another action', policy('Allow', methodArn, 'execute-api:ManageConnections')],
    ['has no statement', { Version: '2012-10-17', Statement: [] }],
    [
      'denies what it allows',
      {
        Version: '2012-10-17',
        Statement: [...policy('Allow').Statement, ...policy('Deny', '*').Statement],
      },
    ],
  ])('refuses with 403 if its policy %s', async (_, policyDocument) => {
    const context = { required_scope: 'messaging:view' };
    const { gateway, handler } = open(() => Promise.resolve(allow(policyDocument, context)));
    const response = await gateway(request);
    expect(response.status).toBe(403);
    expect(response.headers.get('WWW-Authenticate')).toEqual(['Bearer error="insufficient_scope"']);
    expect(JSON.parse(response.body.toString())).toEqual({
      error: 'insufficient_scope',
      scope: 'messaging:view',
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('refuses with 401 if it throws Unauthorized', async () => {
    const { gateway, handler, onFunctionError } = open(() =>
      Promise.reject(new Error('Unauthorized')),
    );
    expect((await gateway(request)).status).toBe(401);
    expect(handler).not.toHaveBeenCalled();
    expect(onFunctionError).not.toHaveBeenCalled();
  });

  it.each<[string, RequestAuthorizer['handler']]>([
    ['throws anything else', () => Promise.reject(new Error('unauthorized'))],
    ['returns nothing', () => Promise.resolve()],
    ['returns no policy', () => Promise.resolve({ principalId: 'x' })],
    ['returns no principal', () => Promise.resolve({ policyDocument: policy('Allow') })],
    [
      'returns an object in its context',
      () => Promise.resolve(allow(policy('Allow'), { nested: {} })),
    ],
  ])('fails closed with 500 if it %s', async (_, authorizer) => {
    const { gateway, handler, onFunctionError } = open(authorizer);
    const response = await gateway(request);
    expect(response.status).toBe(500);
    expect(JSON.parse(response.body.toString())).toEqual({
      error: 'server_error',
      error_description: 'an unexpected error occurred',
    });
    expect(handler).not.toHaveBeenCalled();
    expect(onFunctionError).toHaveBeenCalledExactlyOnceWith('authorizer', expect.any(Error));
  });
});
