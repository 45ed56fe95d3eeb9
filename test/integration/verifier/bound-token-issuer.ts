import type { webcrypto } from 'node:crypto';
import { createServer } from 'node:http';
import * as oauth from 'oauth4webapi';
import { jwksPath } from '../../../contract/routes.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';

export type KeyPair = webcrypto.CryptoKeyPair;

/** An issuer of which only the JWKS runs, a token of it that is bound to a key, and two keys. */
export interface BoundTokenIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly token: string;
  readonly holder: KeyPair;
  readonly stranger: KeyPair;
  readonly close: () => void;
}

export async function startBoundTokenIssuer(): Promise<BoundTokenIssuer> {
  const key = createTestKey('ES256');
  const audience = 'https://api.example.com';
  const server = createServer((request, response) => {
    const status = request.url === jwksPath ? 200 : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: [key.jwk] }));
  });
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const holder = await oauth.generateKeyPair('ES256');
  const now = Math.floor(Date.now() / 1000);
  const token = signToken(key, {
    iss: issuer,
    sub: 'client_1',
    client_id: 'client_1',
    aud: audience,
    iat: now,
    exp: now + 3600,
    jti: 'jti-1',
    scope: 'messaging:view',
    service_trunk_group: 'group-1',
    cnf: { jkt: await oauth.DPoP({}, holder).calculateThumbprint() },
  });
  const stranger = await oauth.generateKeyPair('ES256');
  return { issuer, audience, token, holder, stranger, close: () => void server.close() };
}

/** The headers that a published client sends with a token for a request of this method and URL. */
export async function headersWithProof(
  token: string,
  by: KeyPair,
  method = 'GET',
  url = 'https://api.example.com/messages',
): Promise<readonly string[]> {
  const sent = new Headers();
  await oauth.protectedResourceRequest(token, method, new URL(url), undefined, undefined, {
    DPoP: oauth.DPoP({}, by),
    [oauth.customFetch]: (_url, { headers }) => {
      for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      return Promise.resolve(new Response());
    },
  });
  return ['Authorization', sent.get('authorization') ?? '', 'DPoP', sent.get('dpop') ?? ''];
}
