import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, type JWTVerifyResult, jwtVerify } from 'jose';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A key may sign 37 seconds after it was published, not a day: the tests wait for it. */
export const quickKeys = {
  jwksMaxAge: 2,
  verifierCache: 30,
  propagationLag: 4,
  keyListRefresh: 1,
  leeway: 1,
};

export function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

/** Says what is not proved: what the templates have and the emulator has not. */
export function sayLeftOut(types: readonly string[]): void {
  say(`NOT deployed, as the emulator lacks them: ${types.join(', ') || 'nothing'}`);
}

/** Makes a client and a secret with `authctl`. */
export async function createClient(
  authctl: (...args: readonly string[]) => Promise<Readonly<Record<string, unknown>>>,
): Promise<Credentials> {
  const choices = ['--name', 'Billing', '--trunk-group', 'tg-1', '--scope', 'messaging:view'];
  const { client_id } = await authctl('client', 'create', ...choices);
  const { client_secret } = await authctl('client-secret', 'create', String(client_id));
  return { clientId: String(client_id), clientSecret: String(client_secret) };
}

/** Asks for a token, as any client would. */
export function requestToken(tokenUrl: string, client: Credentials): Promise<Response> {
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  return fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
}

export async function getToken(tokenUrl: string, client: Credentials): Promise<string> {
  const response = await requestToken(tokenUrl, client);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/** Verifies a token with jose, through a JWKS that is fetched anew. */
export function verifyToken(
  token: string,
  { issuer, jwksUri, audience }: { issuer: string; jwksUri: string; audience: string },
): Promise<JWTVerifyResult> {
  return jwtVerify(token, createRemoteJWKSet(new URL(jwksUri)), {
    typ: 'at+jwt',
    algorithms: ['RS256'],
    issuer,
    audience,
  });
}

/** Tries until it succeeds, or throws what went wrong last. */
export async function eventually<T>(seconds: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(500);
    }
  }
}
