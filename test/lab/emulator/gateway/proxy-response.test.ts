import { describe, expect, it } from 'vitest';
import {
  MalformedProxyResponseError,
  readProxyResponse,
} from '../../../../lab/emulator/gateway/proxy-response.ts';

function read(output: unknown) {
  const response = readProxyResponse(output);
  return { ...response, headers: Object.fromEntries(response.headers) };
}

describe('the response of a function', () => {
  it('has JSON as its content type if it says nothing', () => {
    expect(read({ statusCode: 200 })).toEqual({
      status: 200,
      headers: { 'Content-Type': ['application/json'] },
      body: Buffer.alloc(0),
    });
  });

  it('merges both header maps, an equal pair once', () => {
    const output = {
      statusCode: '200',
      headers: { 'content-type': 'text/plain', 'X-A': '1', 'X-N': 3 },
      multiValueHeaders: { 'X-A': ['1', '2'] },
    };
    expect(read(output).headers).toEqual({
      'content-type': ['text/plain'],
      'X-A': ['1', '2'],
      'X-N': ['3'],
    });
  });

  it.each([
    ['WWW-Authenticate', 'x-amzn-Remapped-www-authenticate'],
    ['www-authenticate', 'x-amzn-Remapped-www-authenticate'],
    ['Authorization', 'x-amzn-Remapped-authorization'],
    ['Connection', 'x-amzn-Remapped-connection'],
    ['Content-MD5', 'x-amzn-Remapped-content-md5'],
    ['Date', 'x-amzn-Remapped-date'],
    ['Max-Forwards', 'x-amzn-Remapped-max-forwards'],
    ['Server', 'x-amzn-Remapped-server'],
    ['User-Agent', 'x-amzn-Remapped-user-agent'],
    ['ETag', 'ETag'],
    ['Pragma', 'Pragma'],
    ['Expect', undefined],
    ['Host', undefined],
    ['Proxy-Authenticate', undefined],
    ['TE', undefined],
    ['Trailer', undefined],
    ['Transfer-Encoding', undefined],
    ['Upgrade', undefined],
    ['Via', undefined],
  ])('sends the header %s as %s', (name, wireName) => {
    const { headers } = read({ statusCode: 401, headers: { [name]: 'x' } });
    const sent = Object.keys(headers).filter((header) => header !== 'Content-Type');
    expect(sent).toEqual(wireName === undefined ? [] : [wireName]);
  });

  it('sends a base64 body as it is: the API has no binary types', () => {
    const output = { statusCode: 200, body: 'w78=', isBase64Encoded: true };
    expect(read(output).body).toEqual(Buffer.from('w78='));
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'ok'],
    ['a list', []],
    ['no status', {}],
    ['a status out of range', { statusCode: 99 }],
    ['a status that is no number', { statusCode: 'ok' }],
    ['a body that is no text', { statusCode: 200, body: {} }],
    ['an unknown member', { statusCode: 200, cookies: [] }],
    ['headers that are no object', { statusCode: 200, headers: [] }],
    ['a header that is no text', { statusCode: 200, headers: { a: {} } }],
    ['a multi-value header that is no list', { statusCode: 200, multiValueHeaders: { a: 'b' } }],
    ['a base64 flag that is no boolean', { statusCode: 200, isBase64Encoded: 'true' }],
  ])('is malformed if it is %s', (_, output) => {
    expect(() => read(output)).toThrow(MalformedProxyResponseError);
  });
});
