// Verifies tokens with one library. Reads {"token": ...} lines; writes {"ok": ..., "why": ...}.
// `later` in a line moves the clock ahead, so that the library's cache times pass at once.
import { createInterface } from 'node:readline';

const [library, algorithm] = process.argv.slice(2);
const { ISSUER: issuer, AUDIENCE: audience, JWKS_URI: jwksUri } = process.env;

function checkType(token) {
  const { typ } = JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString());
  if (typ !== 'at+jwt') throw new Error(`typ ${typ}`);
}

const factories = {
  async jose() {
    const { createRemoteJWKSet, jwtVerify } = await import('jose');
    const keys = createRemoteJWKSet(new URL(jwksUri));
    const options = { issuer, audience, typ: 'at+jwt', algorithms: [algorithm] };
    return (token) => jwtVerify(token, keys, { ...options, requiredClaims: ['exp'] });
  },
  async 'aws-jwt-verify'() {
    const { JwtVerifier } = await import('aws-jwt-verify');
    const verifier = JwtVerifier.create({ issuer, audience, jwksUri });
    return async (token) => {
      checkType(token);
      await verifier.verify(token);
    };
  },
  async 'jwks-rsa'() {
    const { default: jwksClient } = await import('jwks-rsa');
    const { default: jwt } = await import('jsonwebtoken');
    const client = jwksClient({ jwksUri, cache: true, rateLimit: true });
    return async (token) => {
      checkType(token);
      const { kid } = JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString());
      const key = await client.getSigningKey(kid);
      jwt.verify(token, key.getPublicKey(), { issuer, audience, algorithms: [algorithm] });
    };
  },
  async 'get-jwks'() {
    const { default: createGetJwks } = await import('get-jwks');
    const { createVerifier } = await import('fast-jwt');
    const getJwks = createGetJwks({ jwksPath: new URL(jwksUri).pathname });
    const verifier = createVerifier({
      key: ({ header }) =>
        getJwks.getPublicKey({ domain: issuer, kid: header.kid, alg: header.alg }),
      algorithms: [algorithm],
      allowedIss: issuer,
      allowedAud: audience,
      requiredClaims: ['exp'],
      checkTyp: 'at+jwt',
    });
    return (token) => verifier(token);
  },
  async 'express-oauth2-jwt-bearer'() {
    const { auth } = await import('express-oauth2-jwt-bearer');
    const check = auth({ issuer, audience, jwksUri, tokenSigningAlg: algorithm, strict: true });
    return (token) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
        const url = '/messages';
        const request = { method: 'GET', url, originalUrl: url, protocol: 'https', headers };
        Object.assign(request, {
          query: {},
          body: {},
          is: () => false,
          get: (name) => headers[name.toLowerCase()],
        });
        check(request, {}, (error) => (error ? reject(error) : resolve()));
      });
  },
  async 'mcp-auth'() {
    const { fetchServerConfig, MCPAuth } = await import('mcp-auth');
    let check;
    return async (token) => {
      const server = await fetchServerConfig(issuer, { type: 'oauth' });
      check ??= new MCPAuth({ server }).bearerAuth('jwt', { audience });
      const headers = { authorization: `Bearer ${token}` };
      await new Promise((resolve, reject) => {
        const response = { set: () => response, status: () => response, json: reject };
        check({ headers }, response, resolve);
      });
    };
  },
};

let later = 0;
const realNow = Date.now;
Date.now = () => realNow() + later * 1000;
const realMark = performance.now.bind(performance);
performance.now = () => realMark() + later * 1000;

const verify = await factories[library]();
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  later = request.later ?? 0;
  try {
    await verify(request.token);
    console.log('{"ok":true}');
  } catch (error) {
    console.log(
      JSON.stringify({ ok: false, why: `${error.name}: ${error.message}`.slice(0, 200) }),
    );
  }
}
