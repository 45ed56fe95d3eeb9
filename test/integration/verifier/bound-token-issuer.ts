import type { webcrypto } from 'node:crypto';
import { createServer } from 'node:http';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { jwksPath } from '../../../contract/routes.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { ownClaims } from '../../../lab/support/verifier-world.ts';

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
    ...ownClaims,
    iss: issuer,
    iat: now,
    exp: now + 3600,
    cnf: { jkt: await oauth.DPoP({}, holder).calculateThumbprint() },
  });
  const stranger = await oauth.generateKeyPair('ES256');
  return { issuer, audience, token, holder, stranger, close: () => void server.close() };
}

/** Sends a request with a token and a proof, and says with which headers. */
type SendWithProof = (token: string, by: KeyPair, method: string, url: URL) => Promise<Headers>;

/** Published clients that prove a key. */
export const clientsWithProofs: Readonly<Record<string, SendWithProof>> = {
  async oauth4webapi(token, by, method, url) {
    let sent = new Headers();
    await oauth.protectedResourceRequest(token, method, url, undefined, undefined, {
      DPoP: oauth.DPoP({}, by),
      [oauth.customFetch]: (_url, { headers }) => {
        sent = new Headers(headers);
        return Promise.resolve(new Response());
      },
    });
    return sent;
  },
  async 'openid-client'(token, by, method, url) {
    let sent = new Headers();
    const client = new openid.Configuration({ issuer: 'https://auth.example.com' }, 'client_1');
    client[openid.customFetch] = (_url, { headers }) => {
      sent = new Headers(headers);
      return Promise.resolve(new Response());
    };
    const DPoP = openid.getDPoPHandle(client, by);
    await openid.fetchProtectedResource(client, token, url, method, undefined, undefined, { DPoP });
    return sent;
  },
};

/** The headers that a published client sends with a token for a request of this method and URL. */
export async function headersWithProof(
  token: string,
  by: KeyPair,
  method = 'GET',
  url = 'https://api.example.com/messages',
  client = 'oauth4webapi',
): Promise<readonly string[]> {
  const sent = await clientsWithProofs[client]?.(token, by, method, new URL(url));
  return ['Authorization', sent?.get('authorization') ?? '', 'DPoP', sent?.get('dpop') ?? ''];
}
