import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { proofAlgs } from '../../../contract/proof-algorithms.ts';
import { formerTokenPath, tokenPath } from '../../../contract/routes.ts';
import { syntheticAuthority } from '../../../contract/synthetic-check.ts';
import { findProofMode } from '../../../core/token/access-token-claims.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import type { ProxyRequest } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow as now } from '../../../lab/support/token-settings.ts';
import { openBinding } from '../../../lambda/token/proofs.ts';
import { figure } from '../../support/figure.ts';
import { createHolder, createProver, holder, url } from '../../support/hostile-proofs.ts';
import { tokenWorld } from '../../support/token-world.ts';

const audiences = {
  'https://voice.example.com': 'required',
  'https://messages.example.com': 'allowed',
} as const;
const plain = 'https://plain.example.com';
const [voice, messages] = Object.keys(audiences) as [string, string];
const other = 'https://slc.api.example.com/messages';
const { prove, rows } = createProver('POST', now);

function open(settings: object = {}, environment: object = {}) {
  const client = (seed: number) =>
    makeClient({
      clientId: clientIdOf(seed),
      secrets: [makeSecret(secretValueOf(seed))],
      audiences: [voice, messages, plain, `${voice}/`],
    });
  const variables = { audiences, algorithms: proofAlgs, tokenEndpoints: [url, other], ...settings };
  const binding = openBinding(variables as never);
  const world = tokenWorld([client(1), client(2)], undefined, environment, () => ({
    findBinding: binding,
  }));
  const ask = async (
    resource: string,
    proofs: readonly string[] = [],
    different: Partial<ProxyRequest> = {},
  ) => {
    const { statusCode, body } = await world.issue({
      body: `grant_type=client_credentials&resource=${encodeURIComponent(resource)}`,
      ...different,
      headers: { DPoP: proofs, ...different.headers },
    });
    return { status: statusCode, body: JSON.parse(body) as Record<string, string> };
  };
  return { ...world, ask };
}

const cnfOf = ({ body }: { readonly body: Readonly<Record<string, string>> }) =>
  decodeJwt(body['access_token'] ?? '')['cnf'];

describe('a token of an audience', () => {
  it('with proofs is bound to the key of the proof', async () => {
    const { ask, reports } = open();
    for (const audience of [voice, messages]) {
      const answer = await ask(audience, [await prove()]);
      expect(answer.body).toMatchObject({ token_type: 'DPoP', expires_in: 3600 });
      expect(cnfOf(answer)).toEqual({ jkt: holder.jkt });
    }
    expect(reports[0]).toMatchObject({ outcome: 'issued', fields: { bound_to: holder.jkt } });
  });

  it('that allows proofs is a bearer token without one', async () => {
    const answer = await open().ask(messages);
    expect(answer.body['token_type']).toBe('Bearer');
    expect(cnfOf(answer)).toBeUndefined();
  });

  it.each([voice, `${voice}/`])('that requires one is refused without: %s', async (audience) => {
    const { ask, stores, reports } = open();
    expect(await ask(audience)).toEqual({
      status: 400,
      body: {
        error: 'invalid_dpop_proof',
        error_description:
          'a token for this audience is bound to a key: the request needs a DPoP proof of it',
      },
    });
    expect(stores.sign).not.toHaveBeenCalled();
    expect(reports[0]).toMatchObject({
      outcome: 'invalid_dpop_proof',
      fields: { reason: 'proof_missing', client_id: clientIdOf(1) },
    });
  });

  it('without an entry has the default, but not that of the synthetic check', async () => {
    const modes = { audiences: { [plain]: 'allowed' }, default: 'required' } as const;
    const { ask } = open(modes);
    expect((await ask(voice)).body['error']).toBe('invalid_dpop_proof');
    expect(cnfOf(await ask(voice, [await prove()]))).toEqual({ jkt: holder.jkt });
    expect((await ask(plain)).body['token_type']).toBe('Bearer');
    const [synthetic] = syntheticAuthority.audiences;
    expect(findProofMode(modes, synthetic)).toBeUndefined();
  });

  it('without proofs is a bearer token, also with one, which is not read', async () => {
    const answer = await open().ask(plain, ['no proof']);
    expect(answer.body['token_type']).toBe('Bearer');
    expect(cnfOf(answer)).toBeUndefined();
  });
});

describe('a proof at the token endpoint', () => {
  it.each(rows.map(([what, make]) => ({ what, make })))('is refused: $what', async ({ make }) => {
    const { ask, stores } = open();
    const proof = await make();
    const { status, body } = await ask(messages, [proof]);
    expect([status, body['error']]).toEqual([400, 'invalid_dpop_proof']);
    expect(body['error_description']).toMatch(
      /^the DPoP proof is not valid(?: yet$|: (?:htm|htu|iat|nbf|exp|jti|typ|alg|jwk|crit|signature|form)$)/,
    );
    expect(stores.sign).not.toHaveBeenCalled();
    // The good neighbour, with the same memory.
    expect((await ask(messages, [await prove()])).status).toBe(200);
  });

  it('is one of 110 and more, of which none is accepted', () => {
    figure('hostile proofs at the token endpoint', { rows: rows.length });
    expect(rows.length).toBeGreaterThanOrEqual(110);
  });

  it('names the address that was called, which the path of before is part of', async () => {
    const host = 'https://api.example.com';
    const world = open({ tokenEndpoints: [host + tokenPath] });
    const statuses = [tokenPath, formerTokenPath].map(async (path) => {
      const proofs = [tokenPath, formerTokenPath].map((named) =>
        prove({ claims: { htu: host + named } }),
      );
      const asked = proofs.map(
        async (proof) => (await world.ask(voice, [await proof], { path })).status,
      );
      return Promise.all(asked);
    });
    expect(await Promise.all(statuses)).toEqual([
      [200, 400],
      [400, 200],
    ]);
  });

  it('is one header', async () => {
    const { body } = await open().ask(voice, [await prove(), await prove()]);
    expect(body['error_description']).toBe('the DPoP proof is not valid: DPoP headers');
  });

  it.each(proofAlgs)('is signed with an algorithm of the config: %s', async (alg) => {
    const by = createHolder(alg);
    expect(cnfOf(await open().ask(voice, [await prove({ by })]))).toEqual({ jkt: by.jkt });
    const without = proofAlgs.filter((one) => one !== alg);
    const { body } = await open({ algorithms: without }).ask(voice, [await prove({ by })]);
    expect(body['error_description']).toBe('the DPoP proof is not valid: alg');
  });

  it('is for one request, at any of the token endpoints', async () => {
    const { ask } = open();
    const proof = await prove({ claims: { htu: other } });
    expect((await ask(voice, [proof])).status).toBe(200);
    expect((await ask(voice, [proof])).body).toEqual({
      error: 'invalid_dpop_proof',
      error_description: 'the DPoP proof was used before',
    });
  });

  it('is used up by a request that could not be signed', async () => {
    const { ask, stores } = open();
    const proof = await prove();
    stores.sign.mockRejectedValueOnce(new Error('KMS'));
    expect((await ask(voice, [proof])).status).toBe(500);
    expect((await ask(voice, [proof])).body['error']).toBe('invalid_dpop_proof');
    expect((await ask(voice, [await prove()])).status).toBe(200);
  });

  it('is not looked at before the client is authenticated', async () => {
    const { ask } = open();
    const proof = await prove();
    const wrong = { headers: { Authorization: basic(clientIdOf(1), secretValueOf(9)) } };
    expect((await ask(voice, [proof], wrong)).body['error']).toBe('invalid_client');
    expect((await ask('https://none.example.com', [proof])).body['error']).toBe('invalid_target');
    expect((await ask(voice, [proof])).status).toBe(200);
  });

  it('leaves nothing of itself in the log', async () => {
    const { ask, reports } = open();
    const proof = await prove({ claims: { jti: 'canary-of-a-proof', htu: 'https://canary' } });
    await ask(voice, [proof]);
    const text = JSON.stringify(reports);
    expect(text).toContain('"proof_part":"htu"');
    for (const part of ['canary', ...proof.split('.')]) expect(text).not.toContain(part);
  });
});
