import { request } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { useLocalService } from '../local/use-local-service.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly type: string;
}

interface Server {
  readonly service: 'dynamodb' | 'kms' | 'lambda';
  readonly endpoint: string;
  readonly sent: Omit<Sent, 'method'>;
}

/** One server of AWS's protocols, and a call that it answers if the signature is good. */
type ServerName = 'DynamoDB' | 'KMS' | 'Lambda';

function jsonCall(version: string, target: string): Omit<Sent, 'method'> {
  const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target };
  return { path: '/', headers, body: '{}' };
}

const service = useLocalService();

function serverOf(name: ServerName): Server {
  const { environment } = service();
  const servers: Readonly<Record<ServerName, Server>> = {
    DynamoDB: {
      service: 'dynamodb',
      endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
      sent: jsonCall('1.0', 'DynamoDB_20120810.ListTables'),
    },
    KMS: {
      service: 'kms',
      endpoint: environment['AWS_ENDPOINT_URL_KMS'] ?? '',
      sent: jsonCall('1.1', 'TrentService.ListKeys'),
    },
    Lambda: {
      service: 'lambda',
      endpoint: environment['AWS_ENDPOINT_URL_LAMBDA'] ?? '',
      sent: { path: '/2015-03-31/functions/local-canary/invocations', headers: {}, body: '{}' },
    },
  };
  return servers[name];
}

function own(): { readonly accessKeyId: string; readonly secretAccessKey: string } {
  const { environment } = service();
  return {
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
  };
}

interface Signing {
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly service?: string;
  readonly host?: string;
  readonly at?: Date;
  readonly unsigned?: readonly string[];
}

async function sign(server: Server, signing: Signing = {}): Promise<Sent> {
  const { host = new URL(server.endpoint).host } = signing;
  const signer = new SignatureV4({
    region: 'us-west-2',
    service: signing.service ?? server.service,
    sha256: Hash.bind(null, 'sha256'),
    credentials: signing.credentials ?? own(),
  });
  const url = new URL(server.endpoint);
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: url.hostname,
      query: {},
      ...server.sent,
      headers: { host, ...server.sent.headers },
    },
    { signingDate: signing.at ?? new Date(), unsignableHeaders: new Set(signing.unsigned) },
  );
  return {
    method: 'POST',
    path: server.sent.path,
    headers: signed.headers,
    body: server.sent.body,
  };
}

function typeOf(headers: Readonly<Record<string, unknown>>, text: string): string {
  const header = headers['x-amzn-errortype'];
  if (typeof header === 'string') return header;
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, string>;
  return body['__type']?.split('#').at(-1) ?? '';
}

function send({ endpoint }: Server, { method, path, headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, endpoint), { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          type: typeOf(response.headers, text),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const minute = 60_000;

interface Refusal {
  readonly name: string;
  readonly make: (server: Server) => Sent | Promise<Sent>;
  readonly type: string;
  readonly status?: number;
}

/** A request that would be answered, with headers that were added when it was signed. */
const withHeaders = (headers: Sent['headers']) => async (server: Server) => {
  const sent = await sign(server);
  return { ...sent, headers: { ...sent.headers, ...headers } };
};

const amzDate = (time: number) => new Date(time).toISOString().replaceAll(/[:-]|\.\d+/g, '');

const foreign: readonly Refusal[] = [
  {
    name: 'a name that a web page has bound to this address',
    make: (server) => sign(server, { host: `evil.example:${new URL(server.endpoint).port}` }),
    type: 'AccessDeniedException',
    status: 421,
  },
  {
    name: 'a web page of another origin',
    make: withHeaders({ origin: 'https://evil.example' }),
    type: 'AccessDeniedException',
    status: 403,
  },
  {
    name: 'a browser that follows a link',
    make: withHeaders({ 'sec-fetch-site': 'none' }),
    type: 'AccessDeniedException',
    status: 403,
  },
  {
    name: 'a preflight',
    make: ({ sent: { path } }) => ({
      method: 'OPTIONS',
      path,
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-amz-target',
      },
      body: '',
    }),
    type: 'AccessDeniedException',
    status: 403,
  },
  {
    name: 'no signature',
    make: ({ sent, endpoint }) => ({
      ...sent,
      method: 'POST',
      headers: { ...sent.headers, host: new URL(endpoint).host },
    }),
    type: 'MissingAuthenticationTokenException',
  },
  {
    name: 'a header that only looks like a signature',
    make: withHeaders({ authorization: 'AWS4-HMAC-SHA256 x' }),
    type: 'IncompleteSignatureException',
  },
];

const badSignatures: readonly (readonly [name: string, make: Refusal['make']])[] = [
  [
    'another secret',
    (server) => sign(server, { credentials: { ...own(), secretAccessKey: 'another' } }),
  ],
  ['a body that was changed', async (server) => ({ ...(await sign(server)), body: '{ }' })],
  ['a header that was changed', withHeaders({ 'x-amz-date': amzDate(Date.now() - minute) })],
  ['an amz header that is not signed', withHeaders({ 'x-amz-security-token': 'x' })],
  ['a host that is not signed', (server) => sign(server, { unsigned: ['host'] })],
  [
    'a signature of twenty minutes ago',
    (server) => sign(server, { at: new Date(Date.now() - 20 * minute) }),
  ],
];

/** Each makes a request that must be refused, of one that would be answered. */
const refusals: readonly Refusal[] = [
  ...foreign,
  ...badSignatures.map(([name, make]) => ({ name, make, type: 'InvalidSignatureException' })),
];

describe.each(['DynamoDB', 'KMS', 'Lambda'] as const)('the local %s', (name) => {
  it('answers a request that is signed with the credentials of this run', async () => {
    const server = serverOf(name);
    const received = await send(server, await sign(server));
    expect(received).toMatchObject({ status: 200, type: '' });
  });

  it('answers to localhost as well', async () => {
    const server = serverOf(name);
    const host = `localhost:${new URL(server.endpoint).port}`;
    expect(await send(server, await sign(server, { host }))).toMatchObject({ status: 200 });
  });

  it.each(refusals)('refuses $name', async ({ make, type, status }) => {
    const server = serverOf(name);
    const received = await send(server, await make(server));
    expect(received).toMatchObject({ type, status: status ?? (name === 'Lambda' ? 403 : 400) });
    const cors = Object.keys(received.headers).filter((each) => each.startsWith('access-control'));
    expect(cors).toEqual([]);
  });
});

describe('the access key of a run', () => {
  it('is random and has the lengths that AWS uses', () => {
    expect(own().accessKeyId).toMatch(/^LOCAL[A-Z2-7]{15}$/);
    expect(own().secretAccessKey).toMatch(/^[\w-]{40}$/);
  });
});
