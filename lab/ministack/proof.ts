import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, type JWTVerifyResult, jwtVerify } from 'jose';
import { operatorPolicyName } from '../../contract/function-names.ts';
import type { RegionId } from '../../contract/regions.ts';
import { hangLimit } from '../support/hang-limit.ts';
import { type Credentials, requestToken } from '../support/token-request.ts';
import type { Authctl } from './cloud.ts';

/** The functions read the list of keys again every second, so that the tests see changes soon. */
export const signingKeyPolicy = { keyListRefresh: 1 };

/** The deployed policy of an operator group, in a region of an example. */
export function policyOf(group: string, regionId: RegionId = 'slc'): string {
  return operatorPolicyName('authorization-server', regionId, group);
}

export function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

/** Says what is not proved: what the templates have and the emulator has not. */
export function sayLeftOut(types: readonly string[]): void {
  say(`NOT deployed, as the emulator lacks them: ${types.join(', ') || 'nothing'}`);
}

/** Makes a client and a secret with `authctl`. */
export async function createClient(authctl: Authctl): Promise<Credentials> {
  const choices = ['--name', 'Billing', '--trunk-group', 'tg-1', '--scope', 'messaging:view'];
  const { client_id } = await authctl('client', 'create', ...choices);
  const { client_secret } = await authctl('client-secret', 'create', String(client_id));
  return { clientId: String(client_id), clientSecret: String(client_secret) };
}

/** Sends token requests until the answer is not 503, which asks a client to try again. */
export async function getToken(tokenUrl: string, client: Credentials): Promise<string> {
  const { status, text } = await eventually(async () => {
    const response = await requestToken(tokenUrl, client);
    const answer = { status: response.status, text: await response.text() };
    assert.notEqual(answer.status, 503, answer.text);
    return answer;
  });
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/** Verifies a token with jose, through a JWKS that is fetched again. */
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

/** Tries until it succeeds. @throws what went wrong last if it hangs. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + hangLimit;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(500);
    }
  }
}
