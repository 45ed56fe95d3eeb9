import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  connect,
  createSecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
} from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { configure as serverlessExpress } from '@codegenie/serverless-express';
import awsLambdaFastify from '@fastify/aws-lambda';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import serverless from 'serverless-http';
import { callerOf, createExpressMiddleware } from '../../../../verifier/express.ts';
import { createFastifyHooks } from '../../../../verifier/fastify.ts';
import { createHonoMiddleware } from '../../../../verifier/hono.ts';
import type { Verifier } from '../../../../verifier/verifier.ts';
import { send } from '../forward-auth/use-forward-auth.ts';

interface HostAnswer {
  readonly status: number;
  /** JSON of the response. */
  readonly body: string;
}

/** Something that a service runs in. */
export interface Host {
  /** Asks for /messages with these values of `Authorization`. */
  readonly get: (credentials: readonly string[]) => Promise<HostAnswer>;
  /** Why a service sees, or a client can send, no second credential. */
  readonly onlyOne?: string;
  readonly close: () => unknown;
}

type Certificate = Pick<SecureServerOptions, 'key' | 'cert'>;
type Start = (verifier: Verifier, tls: Certificate) => Promise<Host> | Host;

const path = '/messages';

const noSecondOverHttp2 = { onlyOne: "Node's client of HTTP/2 sends one Authorization header" };
const lastOfTwo = { onlyOne: 'the adapter of a REST API passes on the last header only' };

function expressApp(verifier: Verifier): RequestListener {
  const { requireScopes } = createExpressMiddleware(verifier);
  const app = express();
  app.get(path, requireScopes('messaging:view'), (request, response) => {
    response.json(callerOf(request));
  });
  return app;
}

/** As Connect and Polka call middleware: no framework replaces the request's prototype. */
function plainApp(verifier: Verifier): RequestListener {
  const check = createExpressMiddleware(verifier).requireScopes('messaging:view');
  return (request, response) => {
    void check(request, response, (error) => {
      if (error === undefined) response.end(JSON.stringify(callerOf(request)));
      else response.writeHead(500).end();
    });
  };
}

function addRoute(app: FastifyInstance, verifier: Verifier): FastifyInstance {
  const { requireScopes } = createFastifyHooks(verifier);
  app.get(path, { onRequest: requireScopes('messaging:view') }, (request) =>
    Promise.resolve(callerOf(request)),
  );
  return app;
}

function honoApp(verifier: Verifier): Hono {
  const { requireScopes } = createHonoMiddleware(verifier);
  return new Hono().get(path, requireScopes('messaging:view'), (c) => c.json(callerOf(c)));
}

const headersOf = (credentials: readonly string[]) =>
  credentials.flatMap((value) => ['Authorization', value]);

async function listenOverHttp1(listener: RequestListener): Promise<Host> {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    get: (credentials) => send(`http://127.0.0.1:${port}`, path, headersOf(credentials)),
    close: () => server.close(),
  };
}

/** @param authority an address of http, for HTTP/2 with prior knowledge, or of https. */
async function getOverHttp2(
  authority: string,
  credentials: readonly string[],
): Promise<HostAnswer> {
  const session = connect(authority, { rejectUnauthorized: false });
  const stream = session.request({
    ':path': path,
    ...(credentials[0] !== undefined && { authorization: credentials[0] }),
  });
  let body = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  try {
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    await once(stream, 'end');
    return { status: Number(headers[':status']), body };
  } finally {
    session.destroy();
  }
}

function getOverTls(port: number, credentials: readonly string[]): Promise<HostAnswer> {
  return new Promise((resolve, reject) => {
    const headers = ['Host', 'localhost', ...headersOf(credentials)];
    const agent = new Agent({ rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    httpsRequest({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

async function listenOverTls(listener: RequestListener, tls: Certificate, version: 1 | 2) {
  const server = createSecureServer({ ...tls, allowHTTP1: true }, listener as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...(version === 2 && noSecondOverHttp2),
    get: (credentials: readonly string[]) =>
      version === 1
        ? getOverTls(port, credentials)
        : getOverHttp2(`https://127.0.0.1:${port}`, credentials),
    close: () => server.close(),
  };
}

/** An event of API Gateway: a REST API has each value, an HTTP API joins them with commas. */
function gatewayEvent(credentials: readonly string[], version: '1.0' | '2.0') {
  const joined = credentials.length === 0 ? {} : { authorization: credentials.join(',') };
  const requestContext = { requestId: 'a', stage: 'api', identity: { sourceIp: '192.0.2.1' } };
  if (version === '2.0') {
    const http = { method: 'GET', path, sourceIp: '192.0.2.1', protocol: 'HTTP/1.1' };
    const context = { ...requestContext, http };
    return { version, rawPath: path, rawQueryString: '', headers: joined, requestContext: context };
  }
  return {
    version,
    httpMethod: 'GET',
    path,
    resource: '/{proxy+}',
    headers: credentials.length === 0 ? {} : { Authorization: credentials.at(-1) },
    multiValueHeaders: credentials.length === 0 ? {} : { Authorization: [...credentials] },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext,
  };
}

type LambdaHandler = (event: object, context: object) => Promise<unknown>;

function inLambda(handler: unknown, version: '1.0' | '2.0'): Host {
  return {
    async get(credentials) {
      const event = gatewayEvent(credentials, version);
      const answer = (await (handler as LambdaHandler)(event, {})) as {
        readonly statusCode: number;
        readonly body: string;
      };
      return { status: answer.statusCode, body: answer.body };
    },
    close: () => undefined,
  };
}

/** What services of the three frameworks run in, in production and in their own tests. */
export const hosts: Readonly<Record<string, Start>> = {
  'Express on node:http': (verifier) => listenOverHttp1(expressApp(verifier)),
  'Express in Lambda, serverless-http, REST API': (verifier) => ({
    ...inLambda(serverless(expressApp(verifier)), '1.0'),
    ...lastOfTwo,
  }),
  'Express in Lambda, serverless-http, HTTP API': (verifier) =>
    inLambda(serverless(expressApp(verifier)), '2.0'),
  'Express in Lambda, serverless-express, REST API': (verifier) =>
    inLambda(serverlessExpress({ app: expressApp(verifier) }), '1.0'),
  'Express in Lambda, serverless-express, HTTP API': (verifier) =>
    inLambda(serverlessExpress({ app: expressApp(verifier) }), '2.0'),
  'Express on HTTP/1.1 of node:http2': (verifier, tls) =>
    listenOverTls(expressApp(verifier), tls, 1),
  'a plain handler on node:http': (verifier) => listenOverHttp1(plainApp(verifier)),
  'a plain handler on HTTP/1.1 of node:http2': (verifier, tls) =>
    listenOverTls(plainApp(verifier), tls, 1),
  'a plain handler on node:http2': (verifier, tls) => listenOverTls(plainApp(verifier), tls, 2),
  async 'Fastify on node:http'(verifier) {
    const app = addRoute(fastify(), verifier);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    return {
      get: (credentials) => send(address, path, headersOf(credentials)),
      close: () => app.close(),
    };
  },
  async 'Fastify on node:http2'(verifier) {
    const app = addRoute(fastify({ http2: true }) as never, verifier);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    return {
      ...noSecondOverHttp2,
      get: (credentials) => getOverHttp2(address, credentials),
      close: () => app.close(),
    };
  },
  'Fastify under inject()'(verifier) {
    const app = addRoute(fastify(), verifier);
    return {
      async get(credentials) {
        const authorization = credentials.length > 1 ? [...credentials] : credentials[0];
        const headers = authorization === undefined ? {} : { authorization };
        const answer = await app.inject({ url: path, headers: headers as never });
        return { status: answer.statusCode, body: answer.body };
      },
      close: () => app.close(),
    };
  },
  'Fastify in Lambda, @fastify/aws-lambda, REST API': (verifier) =>
    inLambda(awsLambdaFastify(addRoute(fastify(), verifier) as never), '1.0'),
  'Fastify in Lambda, @fastify/aws-lambda, HTTP API': (verifier) =>
    inLambda(awsLambdaFastify(addRoute(fastify(), verifier) as never), '2.0'),
  'Fastify in Lambda, serverless-http, REST API': (verifier) => ({
    ...inLambda(serverless(addRoute(fastify(), verifier) as never), '1.0'),
    ...lastOfTwo,
  }),
  async 'Hono on node:http'(verifier) {
    const server = serve({ fetch: honoApp(verifier).fetch, port: 0, hostname: '127.0.0.1' });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      get: (credentials) => send(`http://127.0.0.1:${port}`, path, headersOf(credentials)),
      close: () => server.close(),
    };
  },
  'Hono under request()'(verifier) {
    const app = honoApp(verifier);
    return {
      async get(credentials) {
        const headers = credentials.map((value): [string, string] => ['Authorization', value]);
        const answer = await app.request(path, { headers });
        return { status: answer.status, body: await answer.text() };
      },
      close: () => undefined,
    };
  },
  'Hono in Lambda, REST API': (verifier) => inLambda(handle(honoApp(verifier)), '1.0'),
  'Hono in Lambda, HTTP API': (verifier) => inLambda(handle(honoApp(verifier)), '2.0'),
};
