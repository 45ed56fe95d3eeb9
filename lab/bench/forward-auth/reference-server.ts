import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { listenOnLoopback } from '../../emulator/loopback-server.ts';

// What forward-auth is compared with, one mode for each part of its work: node:http that answers
// every request (bare), that verifies one RS256 signature (signature), that asks another node:http
// server (request URL), and the usual way to check an own token on it (jose ISSUER AUDIENCE).

type Check = (authorization: string) => number | Promise<number>;

function verifySignatures(): Check {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const message = Buffer.alloc(700, 'a');
  const signature = sign('sha256', message, privateKey);
  return () => (verify('sha256', message, publicKey, signature) ? 200 : 401);
}

function askServer(url: string): Check {
  const agent = new Agent({ keepAlive: true });
  return () =>
    new Promise((done, reject) => {
      const outgoing = request(url, { method: 'POST', agent }, (response) => {
        response.resume().on('end', () => done(response.statusCode ?? 0));
      });
      outgoing.on('error', reject).end('{"TableName":"api-keys","Key":{"key_id":{"S":"key"}}}');
    });
}

function verifyWithJose(issuer: string, audience: string): Check {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  const options = { issuer, audience, typ: 'at+jwt', algorithms: ['RS256'] };
  return async (authorization) => {
    try {
      const { payload } = await jwtVerify(authorization.replace(/^Bearer /, ''), keys, options);
      return String(payload['scope']).split(' ').includes('messaging:view') ? 200 : 403;
    } catch (error) {
      if (error instanceof errors.JOSEError) return 401;
      throw error;
    }
  };
}

const modes: Readonly<Record<string, (...args: [string, string]) => Check>> = {
  bare: () => () => 200,
  signature: verifySignatures,
  request: askServer,
  jose: verifyWithJose,
};

const [mode = '', first = '', second = ''] = process.argv.slice(2);
const check = modes[mode]?.(first, second);
if (check === undefined) throw new Error(`${mode}: unknown mode`);

const server = createServer((incoming, response) => {
  void Promise.resolve(check(incoming.headers.authorization ?? '')).then((status) => {
    response.writeHead(status, { 'Content-Length': 0 }).end();
  });
});
const address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
for (const line of [{ message: 'listening', address }, { message: 'ready' }]) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
