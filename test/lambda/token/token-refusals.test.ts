import { describe, expect, it } from 'vitest';
import { maxFormParameters } from '../../../contract/bounds.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import type { ProxyRequest } from '../../../lab/support/proxy-event.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow } from '../../../lab/support/token-settings.ts';
import { goodAuthorization, tokenWorld } from '../../support/token-world.ts';

const errorHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
};

const challenge = { 'WWW-Authenticate': 'Basic realm="https://auth.example.com"' };

type Row = readonly [name: string, different: Partial<ProxyRequest>, description: string];

const form = (body: string): Partial<ProxyRequest> => ({ body });
const grant = (more: string): Partial<ProxyRequest> =>
  form(`grant_type=client_credentials&${more}`);
const authorization = (value: string | readonly string[]): Partial<ProxyRequest> => ({
  headers: { Authorization: value },
});
const contentType = (value: string): Partial<ProxyRequest> => ({
  headers: { 'Content-Type': value },
});
const pair = (text: string) => authorization(`Basic ${Buffer.from(text).toString('base64')}`);

const body = {
  contentType: 'the Content-Type must be application/x-www-form-urlencoded',
  encoding: 'the request body is not valid form encoding',
  tooLarge: 'the request body is too large',
  tooMany: 'the request body has too many parameters',
  repeated: 'a parameter must not be repeated',
  noGrantType: 'grant_type is missing',
  grantType: 'grant_type must be client_credentials',
  query: 'parameters must be in the request body, not in the query',
  scope: 'scope must be scope tokens, each separated by one space',
  resource: 'resource must be an absolute URI without a fragment',
  one: 'the client must authenticate in one way, only with HTTP Basic',
  idMismatch: 'client_id must be the same in the request body and in the Authorization header',
  headers: 'there must be one Authorization header',
  headerTooLarge: 'the Authorization header is too large',
};

const latin1 = contentType('application/x-www-form-urlencoded; charset=ISO-8859-1');

const malformed: Readonly<Record<string, readonly Row[]>> = {
  invalid_request: [
    ['no content type', { headers: { 'Content-Type': [] } }, body.contentType],
    ['JSON', { ...contentType('application/json'), body: '{}' }, body.contentType],
    ['multipart', contentType('multipart/form-data; boundary=x'), body.contentType],
    ['no body', form(''), body.noGrantType],
    ['no grant_type', form('scope=messaging:view'), body.noGrantType],
    ['an empty grant_type', form('grant_type='), body.noGrantType],
    ['grant_type twice', grant('grant_type=client_credentials'), body.repeated],
    ['grant_type twice with other values', grant('grant_type=password'), body.repeated],
    ['scope twice', grant('scope=messaging:view&scope=messaging:view'), body.repeated],
    ['scope twice, once empty', grant('scope=&scope=messaging:view'), body.repeated],
    ['client_id twice', grant('client_id=a&client_id=a'), body.repeated],
    ['an unknown parameter twice', grant('foo=1&foo=2'), body.repeated],
    ['bad percent-encoding', grant('foo=%zz'), body.encoding],
    ['bytes that are not UTF-8', { body: Buffer.from([0x61, 0x3d, 0xff]) }, body.encoding],
    ['a letter in ISO-8859-1', { ...latin1, ...grant('scope=%E9') }, body.encoding],
    ['client_id with a letter that is not ASCII', grant('client_id=%C3%A9'), body.idMismatch],
    ['a body of 1 MiB', form('a'.repeat(1024 * 1024)), body.tooLarge],
    ['10 000 parameters', form('a&'.repeat(10_000)), body.tooLarge],
    ['33 parameters', form('a=1&'.repeat(maxFormParameters + 1)), body.tooMany],
    ['credentials in the query', { query: 'client_id=a&client_secret=b' }, body.query],
    ['grant_type in the query', { query: 'grant_type=client_credentials' }, body.query],
    ['an assertion in the query', { query: 'client_assertion=x' }, body.query],
    ['Basic and client_secret', grant(`client_secret=${secretValueOf(1)}`), body.one],
    ['Basic and an assertion', grant('client_assertion=x&client_assertion_type=y'), body.one],
    ['another client_id in the body', grant('client_id=other'), body.idMismatch],
    [
      'two Authorization headers',
      authorization([goodAuthorization, goodAuthorization]),
      body.headers,
    ],
    [
      'two Authorization headers of different case',
      { headers: { authorization: goodAuthorization } },
      body.headers,
    ],
    [
      'an Authorization header of 9 KiB',
      authorization(`Basic ${'A'.repeat(9 * 1024)}`),
      body.headerTooLarge,
    ],
    ['a client_id of 10 KiB', pair(`${'i'.repeat(10 * 1024)}:s`), body.headerTooLarge],
    ['a secret of 10 KiB', pair(`${clientIdOf(1)}:${'s'.repeat(10 * 1024)}`), body.headerTooLarge],
  ],
  unsupported_grant_type: [
    ['password', form('grant_type=password'), body.grantType],
    ['authorization_code', form('grant_type=authorization_code'), body.grantType],
    ['refresh_token', form('grant_type=refresh_token'), body.grantType],
    ['foo', form('grant_type=foo'), body.grantType],
    [
      'an assertion',
      form('grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer'),
      body.grantType,
    ],
    ['another case', form('grant_type=Client_Credentials'), body.grantType],
    ['__proto__', form('grant_type=__proto__'), body.grantType],
    ['a trailing space', form('grant_type=client_credentials+'), body.grantType],
    ['a letter that is not ASCII', form('grant_type=%C3%A9'), body.grantType],
  ],
  invalid_scope: [
    ['a quotation mark', grant('scope=a%22b'), body.scope],
    ['two spaces', grant('scope=a++b'), body.scope],
    ['a letter that is not ASCII', grant('scope=%C3%A9'), body.scope],
    ['3 000 scope tokens', grant(`scope=${'a+'.repeat(3000)}`), body.scope],
  ],
  invalid_target: [
    ['two resources', grant('resource=urn:a&resource=urn:b'), 'there must be one resource'],
    ['an empty resource', grant('resource='), body.resource],
    ['a letter that is not ASCII', grant('resource=urn:%C3%A9'), body.resource],
  ],
};

describe('a token request that cannot be good', () => {
  const rows = Object.entries(malformed).flatMap(([error, all]) =>
    all.map(([name, different, description]) => ({ error, name, different, description })),
  );

  it.each(rows)('$error: $name', async ({ error, different, description }) => {
    const { issue, stores, reports } = tokenWorld();
    const response = await issue(different);
    expect(response).toEqual({
      statusCode: 400,
      headers: errorHeaders,
      body: JSON.stringify({ error, error_description: description }),
    });
    expect(stores.findClient).not.toHaveBeenCalled();
    expect(stores.listSigningKeys).not.toHaveBeenCalled();
    expect(stores.sign).not.toHaveBeenCalled();
    expect(reports).toMatchObject([{ outcome: error, statusCode: 400, level: 'info' }]);
  });

  it('is refused whether or not the client is known', async () => {
    const { issue } = tokenWorld([]);
    expect((await issue(form('grant_type=password'))).statusCode).toBe(400);
  });
});

const failed = 'client authentication failed';
const useBasic = 'the client must authenticate with HTTP Basic (client_secret_basic)';

describe('with clientSecretPost, a request with a secret in the body', () => {
  const posted = `client_id=${clientIdOf(1)}&client_secret=${secretValueOf(1)}`;
  const inBody = (more: string): Partial<ProxyRequest> => ({
    headers: { Authorization: [] },
    ...grant(more),
  });
  const open = () => tokenWorld(undefined, undefined, { clientSecretPost: true });
  const remove = 'the client must authenticate in one way: remove client_secret from the body';

  it.each([
    ['in the body', inBody(posted), 'client_secret_post'],
    ['encoded for a form', inBody(posted.replace('cs_', 'cs%5F')), 'client_secret_post'],
    ['in the header, as before', grant(`client_id=${clientIdOf(1)}`), undefined],
  ])('%s: a token after one read, and the log says how', async (_name, request, method) => {
    const { issue, stores, reports } = open();
    expect((await issue(request)).statusCode).toBe(200);
    expect(stores.findClient).toHaveBeenCalledTimes(1);
    expect(reports[0]?.fields['auth_method']).toBe(method);
  });

  const rows: readonly Row[] = [
    ['and the same in the header', grant(posted), remove],
    ['and another one in the header', grant('client_secret=x'), remove],
    ['and an assertion', inBody(`${posted}&client_assertion=x`), remove],
    ['and a grant by assertion', inBody(`${posted}&assertion=x`), remove],
    ['twice', inBody(`${posted}&client_secret=x`), body.repeated],
    ['that is in the query', { ...inBody(''), query: posted }, body.query],
    ['as JSON', { ...inBody(posted), ...contentType('application/json') }, body.contentType],
  ];

  it.each(rows)('%s is refused, and no one is asked', async (_name, request, description) => {
    const { issue, stores } = open();
    expect(await issue(request)).toEqual({
      statusCode: 400,
      headers: errorHeaders,
      body: JSON.stringify({ error: 'invalid_request', error_description: description }),
    });
    expect(stores.findClient).not.toHaveBeenCalled();
  });

  it.each([
    ['that is empty', `client_id=${clientIdOf(1)}&client_secret=`, useBasic, 0],
    ['that is wrong', `client_id=${clientIdOf(1)}&client_secret=x`, failed, 1],
    ['that is encoded twice', posted.replace('secret=cs_', 'secret=cs%255F'), failed, 1],
    ['with a + that stands for a blank', `client_id=a&client_secret=b+c`, failed, 1],
  ])('%s fails as with Basic', async (_name, more, description, reads) => {
    const { issue, stores } = open();
    expect(await issue(inBody(more))).toEqual({
      statusCode: 401,
      headers: { ...errorHeaders, ...challenge },
      body: JSON.stringify({ error: 'invalid_client', error_description: description }),
    });
    expect(stores.findClient).toHaveBeenCalledTimes(reads);
  });
});

const postCredentials = `client_id=${clientIdOf(1)}&client_secret=${secretValueOf(1)}`;
const noHeader = { headers: { Authorization: [] } };

const unauthenticated: readonly Row[] = [
  ['no credentials', noHeader, useBasic],
  ['client_id alone', { ...noHeader, ...grant(`client_id=${clientIdOf(1)}`) }, useBasic],
  ['client_secret_post', { ...noHeader, ...grant(postCredentials) }, useBasic],
  ['private_key_jwt', { ...noHeader, ...grant('client_assertion=x') }, useBasic],
  ['Bearer', authorization('Bearer x'), failed],
  ['an empty header', authorization(''), failed],
  ['two spaces', authorization(goodAuthorization.replace(' ', '  ')), failed],
  ['no colon', authorization('Basic Zm9v'), failed],
  ['bad percent-encoding', pair('foo %:bar $'), failed],
  ['bytes that are not UTF-8', pair('id:%FF'), failed],
  ['an empty secret', pair(`${clientIdOf(1)}:`), failed],
];

describe('a client that does not authenticate', () => {
  it.each(unauthenticated)(
    '%s: invalid_client, and no one is asked',
    async (_n, different, text) => {
      const { issue, stores } = tokenWorld();
      expect(await issue(different)).toEqual({
        statusCode: 401,
        headers: { ...errorHeaders, ...challenge },
        body: JSON.stringify({ error: 'invalid_client', error_description: text }),
      });
      expect(stores.findClient).not.toHaveBeenCalled();
      expect(stores.sign).not.toHaveBeenCalled();
    },
  );

  const good = secretValueOf(1);
  const provider = { issuer: 'https://idp.example', registrationId: 'r', externalClientId: 'e' };
  const expiringAt = (expiresAt: number) =>
    makeClient({ secrets: [makeSecret(good, { expiresAt })] });

  it.each([
    ['unknown_client', makeClient({ clientId: clientIdOf(9) }), good],
    ['wrong_secret', makeClient(), secretValueOf(2)],
    ['wrong_secret', makeClient(), good.slice(0, -1)],
    ['wrong_secret', makeClient(), good.toLowerCase()],
    ['no_secret', makeClient({ secrets: [] }), good],
    ['secret_expired', expiringAt(worldNow), good],
    ['secret_expired', expiringAt(worldNow - 1), good],
    ['secret_disabled', makeClient({ secrets: [makeSecret(good, { stops: personStop })] }), good],
    ['client_disabled', makeClient({ stops: personStop }), good],
    ['provider_client', makeClient({ provider }), good],
    ['provider_client', makeClient({ provider, secrets: [] }), good],
  ])('%s: the same bytes after the same read', async (reason, client, secret) => {
    const { issue, stores, reports } = tokenWorld([client]);
    const response = await issue(authorization(basic(clientIdOf(1), secret)));
    expect(response).toEqual({
      statusCode: 401,
      headers: { ...errorHeaders, ...challenge },
      body: '{"error":"invalid_client","error_description":"client authentication failed"}',
    });
    expect(stores.findClient).toHaveBeenCalledTimes(1);
    expect(stores.listSigningKeys).not.toHaveBeenCalled();
    expect(stores.sign).not.toHaveBeenCalled();
    expect(reports).toMatchObject([
      { outcome: 'invalid_client', fields: { reason, client_id: clientIdOf(1) } },
    ]);
  });

  it.each([
    ['a wrong secret', secretValueOf(2), undefined],
    ['an expired secret', good, clientIdOf(1)],
  ])('has metrics of its own only if a secret proved who it is: %s', async (_n, secret, id) => {
    const { issue, reports } = tokenWorld([expiringAt(worldNow)]);
    await issue(authorization(basic(clientIdOf(1), secret)));
    expect(reports[0]?.clientId).toBe(id);
  });

  it.each([
    ['a name of no client', 'cs_looks-like-a-secret'],
    ['a full-width letter', `${clientIdOf(1)}ﾊ`],
    ['a decomposed letter', 'cafe\u0301'],
  ])('%s: its id is not logged', async (_name, id) => {
    const { issue, reports, stores } = tokenWorld([makeClient({ clientId: 'caf\u00e9' })]);
    const response = await issue(authorization(basic(encodeURIComponent(id), good)));
    expect(response.statusCode).toBe(401);
    expect(stores.findClient).toHaveBeenCalledWith(id, expect.anything());
    expect(JSON.stringify(reports[0]?.fields)).not.toContain(id);
  });
});

describe('a request that the client may not make', () => {
  const notGranted = 'the client may not have a scope that it asks for';
  const notAllowed = 'the client may not ask for this resource';

  it.each([
    ['an unknown scope', 'scope=unknown', 'invalid_scope', notGranted],
    ['a good and a bad scope', 'scope=messaging:view+calls:view', 'invalid_scope', notGranted],
    ['another case', 'scope=Messaging:View', 'invalid_scope', notGranted],
    ['part of a scope', 'scope=messaging', 'invalid_scope', notGranted],
    ['an unknown resource', 'resource=https://evil.example', 'invalid_target', notAllowed],
    ['two trailing slashes', 'resource=https://api.example.com//', 'invalid_target', notAllowed],
    ['a host-less resource', 'resource=urn:uuid:1', 'invalid_target', notAllowed],
  ])('%s', async (_name, more, error, error_description) => {
    const { issue, stores } = tokenWorld();
    expect(await issue(grant(more))).toEqual({
      statusCode: 400,
      headers: errorHeaders,
      body: JSON.stringify({ error, error_description }),
    });
    expect(stores.sign).not.toHaveBeenCalled();
  });

  it('names no scope that a client without scopes could ask for', async () => {
    const { issue } = tokenWorld([makeClient({ scopes: [] })]);
    expect(JSON.parse((await issue()).body)).toEqual({
      error: 'invalid_scope',
      error_description: 'the client has no scopes',
    });
  });
});

describe('another method', () => {
  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'post', 'X'])(
    '%s: 405, and no one is asked',
    async (method) => {
      const { issue, stores, reports } = tokenWorld();
      expect(await issue({ method })).toEqual({
        statusCode: 405,
        headers: { ...errorHeaders, Allow: 'POST' },
        body:
          method === 'HEAD'
            ? ''
            : '{"error":"invalid_request","error_description":"the method is not allowed at this path"}',
      });
      expect(stores.findClient).not.toHaveBeenCalled();
      expect(stores.sign).not.toHaveBeenCalled();
      expect(reports).toMatchObject([{ outcome: 'method_not_allowed' }]);
    },
  );
});
