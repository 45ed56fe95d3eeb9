import type { LookupAddress } from 'node:dns';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGuardedFetch, type Resolve } from '../../../adapters/https/json-request.ts';
import { FetchError, type FetchProblem } from '../../../core/identity-provider/fetch-json.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

const answers: Record<string, RequestListener> = {
  '/good': (_, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8').end('{"a":1}');
  },
  '/set': (_, response) => {
    response.setHeader('content-type', 'application/jwk-set+json').end('{"keys":[]}');
  },
  '/redirect': (_, response) => {
    response.writeHead(302, { location: '/good' }).end();
  },
  '/missing': (_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"secret":1}');
  },
  '/html': (_, response) => {
    response.setHeader('content-type', 'text/html').end('<html>');
  },
  '/untyped': (_, response) => {
    response.end('{}');
  },
  '/broken': (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"a":');
  },
  '/latin': (_, response) => {
    response.setHeader('content-type', 'application/json').end(Buffer.from([0x22, 0xe9, 0x22]));
  },
  '/deep': (_, response) => {
    response.setHeader('content-type', 'application/json').end('['.repeat(200_000));
  },
  '/packed': (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(Buffer.alloc(20));
  },
  '/long': (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': '1073741824' })
      .flushHeaders();
  },
  '/endless': (_, response) => {
    response.setHeader('content-type', 'application/json');
    const write = (): void => {
      while (response.write('[1],'.repeat(4096)));
      response.once('drain', write);
    };
    write();
  },
  '/silent': () => undefined,
  '/slow': (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.write('{');
  },
  '/cut': (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.write('{', () => response.destroy());
  },
};

let server: Server;
let port: number;
let ca: string;
const seen = vi.fn<(url: string) => void>();

beforeAll(async () => {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'idp.example.com' },
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  });
  ca = pems.cert;
  server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    seen(request.url ?? '');
    answers[request.url ?? '']?.(request, response);
  });
  port = await listenOnLoopback(server);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = (path: string) => `https://localhost:${port}${path}`;

function resolveTo(...lists: readonly (readonly string[])[]): Resolve {
  let call = 0;
  return (_, callback) => {
    const list = lists[Math.min(call, lists.length - 1)] ?? [];
    call += 1;
    callback(
      null,
      list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

async function problemOf(promise: Promise<unknown>): Promise<FetchProblem | undefined> {
  const error: unknown = await promise.catch((cause: unknown) => cause);
  return error instanceof FetchError ? error.problem : undefined;
}

describe('fetching a document of a provider', () => {
  it.each([
    ['/good', { a: 1 }],
    ['/set', { keys: [] }],
  ])('gives the JSON of %s', async (path, expected) => {
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca });
    expect(await fetchJson(url(path))).toEqual(expected);
  });

  it.each<[string, FetchProblem]>([
    ['/redirect', 'redirect'],
    ['/missing', 'status'],
    ['/html', 'not_json'],
    ['/untyped', 'not_json'],
    ['/broken', 'not_json'],
    ['/latin', 'not_json'],
    ['/deep', 'not_json'],
    ['/packed', 'not_json'],
    ['/long', 'too_large'],
    ['/endless', 'too_large'],
    ['/cut', 'unreachable'],
  ])('refuses %s: %s', async (path, problem) => {
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca });
    expect(await problemOf(fetchJson(url(path)))).toBe(problem);
  });

  it.each([
    ['/html', 'its answer is not JSON; its Content-Type is text/html; allowed: application/json'],
    ['/untyped', 'its Content-Type is missing; allowed: application/json'],
  ])('says which type %s has', async (path, message) => {
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca });
    await expect(fetchJson(url(path))).rejects.toThrow(message);
  });

  // Neither answer ever ends, so that the time limit decides on a machine of any speed.
  it.each(['/silent', '/slow'])('refuses %s: timeout', async (path) => {
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca, timeout: 500 });
    expect(await problemOf(fetchJson(url(path)))).toBe('timeout');
  });

  it('does not follow a redirect', async () => {
    seen.mockClear();
    await problemOf(createGuardedFetch({ allowLoopback: true, ca })(url('/redirect')));
    expect(seen.mock.calls).toEqual([['/redirect']]);
  });

  it('says nothing of the answer in its message', async () => {
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca });
    await expect(fetchJson(url('/missing'))).rejects.toThrow(
      `${url('/missing')} cannot be fetched: it did not answer with status 200`,
    );
  });

  it('ends when its caller no longer waits', async () => {
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca });
    const waiting = fetchJson(url('/silent'), { signal: AbortSignal.timeout(50) });
    expect(await problemOf(waiting)).toBe('timeout');
  });

  it('trusts no certificate that Node does not', async () => {
    const fetchJson = createGuardedFetch({ allowLoopback: true });
    expect(await problemOf(fetchJson(url('/good')))).toBe('untrusted');
  });
});

describe('the address that is connected to', () => {
  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['169.254.169.254']],
    [['fd00:ec2::254']],
    [['10.0.0.1']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a9fe:a9fe']],
    [['8.8.8.8', '10.0.0.1']],
  ])('is refused, and nothing is sent, if the name resolves to %j', async (addresses) => {
    seen.mockClear();
    const fetchJson = createGuardedFetch({ ca, resolve: resolveTo(addresses) });
    expect(await problemOf(fetchJson('https://localhost/good'))).toBe('address');
    expect(seen).not.toHaveBeenCalled();
  });

  it('is refused if the name stands for loopback and that is not allowed', async () => {
    const fetchJson = createGuardedFetch({ ca });
    expect(await problemOf(fetchJson('https://localhost/good'))).toBe('address');
  });

  it('cannot change between check and connection: the name is resolved once', async () => {
    const resolve = vi.fn(resolveTo(['127.0.0.1'], ['10.0.0.1']));
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca, resolve });
    expect(await fetchJson(url('/good'))).toEqual({ a: 1 });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is checked again for each fetch', async () => {
    const resolve = resolveTo(['127.0.0.1'], ['10.0.0.1']);
    const fetchJson = createGuardedFetch({ allowLoopback: true, ca, resolve });
    expect(await fetchJson(url('/good'))).toEqual({ a: 1 });
    expect(await problemOf(fetchJson(url('/good')))).toBe('address');
  });

  it('is unreachable if the name has none', async () => {
    const fetchJson = createGuardedFetch({ ca, resolve: resolveTo([]) });
    expect(await problemOf(fetchJson('https://localhost/'))).toBe('unreachable');
  });
});
