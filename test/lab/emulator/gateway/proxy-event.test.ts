import { describe, expect, it } from 'vitest';
import type {
  GatewayCall,
  GatewayRequest,
} from '../../../../lab/emulator/gateway/gateway-route.ts';
import { buildProxyEvent } from '../../../../lab/emulator/gateway/proxy-event.ts';

const time = Date.UTC(2026, 10, 20, 9, 30, 5, 123);

const call: GatewayCall = {
  requestId: 'request-1',
  time,
  route: { path: '/thing', functionName: 'thing', handler: () => Promise.resolve({}) },
  timeout: 29_000,
};

function request(changes: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    method: 'GET',
    target: '/thing',
    rawHeaders: ['Host', 'auth.example.com:8080', 'User-Agent', 'curl/8'],
    body: Buffer.alloc(0),
    sourceIp: '127.0.0.1',
    scheme: 'http',
    port: 8080,
    httpVersion: '1.1',
    ...changes,
  };
}

/** Maps in the event have no prototype; equality of plain objects is what counts. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('the proxy event', () => {
  it('says everything that API Gateway says of a simple request', () => {
    expect(plain(buildProxyEvent(request(), call))).toEqual({
      resource: '/thing',
      path: '/thing',
      httpMethod: 'GET',
      headers: {
        Host: 'auth.example.com:8080',
        'User-Agent': 'curl/8',
        'X-Forwarded-For': '127.0.0.1',
        'X-Forwarded-Port': '8080',
        'X-Forwarded-Proto': 'http',
      },
      multiValueHeaders: {
        Host: ['auth.example.com:8080'],
        'User-Agent': ['curl/8'],
        'X-Forwarded-For': ['127.0.0.1'],
        'X-Forwarded-Port': ['8080'],
        'X-Forwarded-Proto': ['http'],
      },
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        domainName: 'auth.example.com:8080',
        domainPrefix: 'auth',
        extendedRequestId: 'request-1',
        httpMethod: 'GET',
        identity: {
          accessKey: null,
          accountId: null,
          apiKey: null,
          apiKeyId: null,
          caller: null,
          clientCert: null,
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
          principalOrgId: null,
          sourceIp: '127.0.0.1',
          user: null,
          userAgent: 'curl/8',
          userArn: null,
        },
        path: '/thing',
        protocol: 'HTTP/1.1',
        requestId: 'request-1',
        requestTime: '20/Nov/2026:09:30:05 +0000',
        requestTimeEpoch: time,
        resourceId: 'local',
        resourcePath: '/thing',
        stage: 'live',
      },
      body: null,
      isBase64Encoded: false,
    });
  });

  it('keeps every value of a header, and the last one in the single-value map', () => {
    const event = buildProxyEvent(request({ rawHeaders: ['X-A', '1', 'X-A', '2'] }), call);
    expect(event.multiValueHeaders['X-A']).toEqual(['1', '2']);
    expect(event.headers['X-A']).toBe('2');
  });

  it.each([
    ['?a=1&a=2&b=', { a: ['1', '2'], b: [''] }, { a: '2', b: '' }],
    ['?a=%20%2B+x', { a: [' + x'] }, { a: ' + x' }],
    ['?__proto__=x', { ['__proto__']: ['x'] }, { ['__proto__']: 'x' }],
    ['?', null, null],
  ])('reads the query %s', (query, several, single) => {
    const event = buildProxyEvent(request({ target: `/thing${query}` }), call);
    expect(event.path).toBe('/thing');
    expect(plain(event.multiValueQueryStringParameters)).toEqual(several);
    expect(plain(event.queryStringParameters)).toEqual(single);
  });

  it.each([
    'Connection',
    'Content-MD5',
    'Expect',
    'Max-Forwards',
    'Proxy-Authenticate',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'WWW-Authenticate',
  ])('drops the header %s', (name) => {
    const event = buildProxyEvent(request({ rawHeaders: [name, 'x', 'X-Kept', 'y'] }), call);
    expect(Object.keys(event.headers)).not.toContain(name);
    expect(event.headers['X-Kept']).toBe('y');
  });

  it('drops an AWS signature and no other authorization', () => {
    const headers = ['Authorization', 'Basic eDp5', 'authorization', 'AWS4-HMAC-SHA256 x'];
    const event = buildProxyEvent(request({ rawHeaders: headers }), call);
    expect(event.headers['Authorization']).toBe('Basic eDp5');
    expect(event.headers['authorization']).toBeUndefined();
  });

  it('takes the source address from the connection, not from what the client claims', () => {
    const rawHeaders = ['x-forwarded-for', '10.0.0.1', 'X-Forwarded-Proto', 'https'];
    const event = buildProxyEvent(request({ rawHeaders, sourceIp: '::ffff:127.0.0.1' }), call);
    expect(event.requestContext.identity.sourceIp).toBe('127.0.0.1');
    expect(event.headers['X-Forwarded-For']).toBe('10.0.0.1, 127.0.0.1');
    expect(event.headers['x-forwarded-for']).toBeUndefined();
    expect(event.headers['X-Forwarded-Proto']).toBe('http');
  });

  it.each(['application/octet-stream', 'image/png', 'text/plain'])(
    'passes a body of %s as text: the API has no binary types',
    (type) => {
      const rawHeaders = ['Content-Type', type];
      const event = buildProxyEvent(request({ rawHeaders, body: Buffer.from('ÿ\u0000') }), call);
      expect([event.body, event.isBase64Encoded]).toEqual(['ÿ\u0000', false]);
    },
  );
});
