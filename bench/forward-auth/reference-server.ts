import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

// What forward-auth is compared with: node:http that answers every request, and the usual way to
// check an own token on it, jose with the issuer's keys at hand.

const [mode, issuer = '', audience = ''] = process.argv.slice(2);
const keys =
  mode === 'jose' ? createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`)) : undefined;

async function statusOf(authorization: string | undefined): Promise<number> {
  if (keys === undefined) return 200;
  try {
    const token = (authorization ?? '').replace(/^Bearer /, '');
    const options = { issuer, audience, typ: 'at+jwt', algorithms: ['RS256'] };
    const { payload } = await jwtVerify(token, keys, options);
    return String(payload['scope']).split(' ').includes('messaging:view') ? 200 : 403;
  } catch (error) {
    if (error instanceof errors.JOSEError) return 401;
    throw error;
  }
}

const server = createServer((request, response) => {
  void statusOf(request.headers.authorization).then((status) => {
    response.writeHead(status, { 'Content-Length': 0 }).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(
    `${JSON.stringify({ message: 'listening', address: `http://127.0.0.1:${port}` })}\n${JSON.stringify({ message: 'ready' })}\n`,
  );
});
