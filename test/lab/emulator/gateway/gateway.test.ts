import { describe, expect, it, vi } from 'vitest';
import { createGateway, type GatewayOptions } from '../../../../lab/emulator/gateway/gateway.ts';
import type {
  GatewayRequest,
  ProxyHandler,
} from '../../../../lab/emulator/gateway/gateway-route.ts';
import { hangLimit } from '../../../../lab/support/hang-limit.ts';

function request(changes: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    method: 'GET',
    target: '/thing',
    rawHeaders: ['Host', 'localhost'],
    body: Buffer.alloc(0),
    sourceIp: '127.0.0.1',
    scheme: 'http',
    port: 8080,
    httpVersion: '1.1',
    ...changes,
  };
}

function gateway(handler: ProxyHandler, options: Partial<GatewayOptions> = {}) {
  return createGateway({
    routes: [{ path: '/thing', functionName: 'thing', handler }],
    ...options,
  });
}

const answerOk: ProxyHandler = () => Promise.resolve({ statusCode: 200, body: '{}' });

const notFound = { error: 'not_found', error_description: 'there is nothing at this path' };
const failed = {
  error: 'temporarily_unavailable',
  error_description: 'the service is unavailable, try again later',
};

describe('routing', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'gives %s to the function',
    async (method) => {
      const handler = vi.fn(answerOk);
      expect(await gateway(handler)(request({ method }))).toMatchObject({ status: 200 });
      expect(handler.mock.calls[0]?.[0].httpMethod).toBe(method);
    },
  );

  it.each([
    ['GET', '/'],
    ['GET', '/other'],
    ['GET', '/thing//'],
    ['GET', '//thing/'],
    ['GET', '/thing/other/'],
    ['GET', '/thing%2F'],
    ['GET', '/?/thing/'],
    ['GET', ''],
    ['GET', '//thing'],
    ['GET', '/x/../thing'],
    ['GET', '/./thing'],
    ['GET', '/THING'],
    ['GET', '/%74hing'],
    ['GET', '/thing%3F'],
    ['GET', 'http://localhost/thing'],
    ['GET', '__proto__'],
    ['TRACE', '/thing'],
    ['PROPFIND', '/thing'],
  ])('has nothing for %s %s', async (method, target) => {
    const handler = vi.fn(answerOk);
    const response = await gateway(handler)(request({ method, target }));
    expect(response.status).toBe(404);
    expect(JSON.parse(response.body.toString())).toEqual(notFound);
    expect(handler).not.toHaveBeenCalled();
  });
});

it.each(['/thing/', '/thing/?a=b'])('routes %s as REST APIs do', async (target) => {
  const handler = vi.fn(answerOk);
  expect(await gateway(handler)(request({ target }))).toMatchObject({ status: 200 });
  expect(handler.mock.calls[0]?.[0]).toMatchObject({ resource: '/thing', path: '/thing/' });
});

describe('what the gateway answers itself', () => {
  it('is JSON that no one stores', async () => {
    const response = await gateway(answerOk)(request({ target: '/other' }));
    expect(Object.fromEntries(response.headers)).toEqual({
      'Content-Type': ['application/json'],
      'Cache-Control': ['no-store'],
      Pragma: ['no-cache'],
      'Strict-Transport-Security': ['max-age=63072000; includeSubDomains'],
      'X-Content-Type-Options': ['nosniff'],
      'x-amzn-RequestId': [expect.stringMatching(/^[0-9a-f-]{36}$/)],
      'x-amz-apigw-id': [expect.any(String)],
    });
  });

  it.each<[string, ProxyHandler]>([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['returns nothing', () => Promise.resolve()],
    ['returns what is no response', () => Promise.resolve({ body: '' })],
  ])('is a failed integration if the function %s', async (_, handler) => {
    const onFunctionError = vi.fn();
    const response = await gateway(handler, { onFunctionError })(request());
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toEqual(['5']);
    expect(JSON.parse(response.body.toString())).toEqual(failed);
    expect(onFunctionError).toHaveBeenCalledExactlyOnceWith('thing', expect.any(Error));
  });

  it('is a timeout if the function does not end', async () => {
    const never = () => new Promise(() => undefined);
    const response = await gateway(never, { integrationTimeout: 5 })(request());
    expect(response.status).toBe(504);
    expect(JSON.parse(response.body.toString())).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'the service did not answer in time, try again later',
    });
  });

  it.each([
    ['a body above 10 MiB', { body: Buffer.alloc(10 * 1024 * 1024 + 1) }, 413],
    ['no Host', { rawHeaders: [] }, 400],
    ['two Hosts', { rawHeaders: ['Host', 'a', 'host', 'b'] }, 400],
    ['header values above 10,240 bytes', { rawHeaders: ['A', 'x'.repeat(10_240)] }, 431],
    ['a request line above 10,240 bytes', { target: `/thing?${'x'.repeat(10_240)}` }, 431],
  ])('refuses %s', async (_, changes, status) => {
    const handler = vi.fn(answerOk);
    const response = await gateway(handler)(request(changes));
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body.toString())).toMatchObject({ error: 'invalid_request' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('lets a body of 10 MiB pass', async () => {
    const response = await gateway(answerOk)(request({ body: Buffer.alloc(10 * 1024 * 1024) }));
    expect(response.status).toBe(200);
  });
});

describe('the Lambda context', () => {
  it('counts the remaining time down from the timeout', async () => {
    const handler = vi.fn(answerOk);
    await gateway(handler, { integrationTimeout: hangLimit })(request());
    const context = handler.mock.calls[0]?.[1];
    expect(context?.functionName).toBe('thing');
    expect(context?.getRemainingTimeInMillis()).toBeLessThanOrEqual(hangLimit);
    expect(context?.getRemainingTimeInMillis()).toBeGreaterThan(0);
  });
});
