import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openidConfigurationPath } from '../../../contract/routes.ts';
import { codeBlocks, readPage } from '../../../lab/support/markdown.ts';
import { readConfigFile, synthesise } from '../../lib/synthesise.ts';
import { useLocalCli } from '../cli/use-authctl.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { send } from '../verifier/forward-auth/use-forward-auth.ts';

/** The config of the page, which is all that is special about this deployment. */
const page = codeBlocks(readPage('docs/fapi.md')).find(({ language }) => language === 'json');
const config = {
  ...readConfigFile('single-region'),
  ...(JSON.parse(page?.lines.join('\n') ?? '') as object),
};

const { json, service } = useLocalCli({ config });
const folder = makeTemporaryDirectory();
afterAll(() => folder.remove());

interface Holder {
  readonly clientId: string;
  readonly jwk: JWK;
  readonly publicJwk: JWK;
  readonly kid: string;
}

/** A client with a key, both made as an operator makes them. */
async function createHolder(alg: string): Promise<Holder> {
  const file = join(folder.path, alg);
  await json(['key', 'create', file, '--alg', alg]);
  const words = ['--name', alg, '--trunk-group', 'tg-7', '--scope', 'messaging:view'];
  const { client_id: id } = await json(['client', 'create', ...words]);
  await json(['client-secret', 'create', String(id), '--public-key', `${file}.pub`]);
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as JWK;
  const publicJwk = read(`${file}.pub`);
  const kid = await calculateJwkThumbprint(publicJwk);
  return { clientId: String(id), jwk: read(file), publicJwk, kid };
}

let first: Holder;
let second: Holder;
const now = () => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  [first, second] = [await createHolder('ES256'), await createHolder('PS256')];
});

type Members = Readonly<Record<string, unknown>>;

async function assertionOf(holder: Holder, claims: Members = {}, alg = holder.jwk.alg ?? '') {
  const { clientId: id, jwk, kid } = holder;
  const usual = { iss: id, sub: id, aud: service().issuer, iat: now(), exp: now() + 60 };
  return new SignJWT({ ...usual, jti: randomUUID(), ...claims })
    .setProtectedHeader({ alg, kid })
    .sign({ ...jwk, alg });
}

async function prove(
  { jwk, publicJwk }: Holder,
  htm: string,
  htu: string,
  claims: Members = {},
  header: Members = {},
): Promise<string> {
  const { alg = '', ...key } = publicJwk;
  const shown = { typ: 'dpop+jwt', alg, jwk: key, ...header };
  return new SignJWT({ htm, htu, iat: now(), jti: randomUUID(), ...claims })
    .setProtectedHeader(shown)
    .sign({ ...jwk, alg: shown.alg });
}

const proveRequest = (holder: Holder, claims: Members = {}, header: Members = {}) =>
  prove(holder, 'POST', service().tokenUrl, claims, header);

async function request(
  assertion: string | undefined,
  proof: string | undefined,
  more: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(service().tokenUrl, {
    method: 'POST',
    headers: { ...(proof !== undefined && { DPoP: proof }), ...more },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(assertion !== undefined && {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      }),
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function getToken(holder: Holder): Promise<string> {
  const { body } = await request(await assertionOf(holder), await proveRequest(holder));
  return body['access_token'] ?? JSON.stringify(body);
}

describe('the deployment of the page', () => {
  it('is one that the rule packs pass, with a domain', () => {
    const domain = {
      name: 'a.example.com',
      hostedZoneId: 'Z0123456789ABC',
      hostedZoneName: 'example.com',
    };
    const { templates } = synthesise({ ...config, domain }, { checked: true });
    expect(Object.keys(templates).length).toBeGreaterThan(0);
  });

  it('says in its metadata what it asks', async () => {
    const { issuer } = service();
    const document = (await (await fetch(issuer + openidConfigurationPath)).json()) as Members;
    expect(document).toMatchObject({
      issuer,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['PS256', 'ES256', 'Ed25519', 'EdDSA'],
      dpop_signing_alg_values_supported: ['PS256', 'ES256', 'Ed25519', 'EdDSA'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
  });
});

describe('the token endpoint', () => {
  it('gives each of two clients a token that is bound to its key', async () => {
    for (const holder of [first, second]) {
      const token = await getToken(holder);
      expect(decodeProtectedHeader(token).alg).toBe('ES256');
      expect(decodeJwt(token)).toMatchObject({ sub: holder.clientId, cnf: { jkt: holder.kid } });
    }
  });

  it.each<readonly [string, () => Promise<string> | undefined]>([
    ['no assertion', () => undefined],
    ['one that expired', () => assertionOf(first, { iat: now() - 400, exp: now() - 300 })],
    ['one for another', () => assertionOf(first, { aud: 'https://other.example.com' })],
    ['one for two', () => assertionOf(first, { aud: [service().issuer, 'https://b.example'] })],
    ['one without a subject', () => assertionOf(first, { sub: undefined })],
    ['one about another client', () => assertionOf(first, { sub: second.clientId })],
    ['one of another client', () => assertionOf(first, { iss: second.clientId })],
    ['one that RS256 signed', () => assertionOf(second, {}, 'RS256')],
  ])('refuses %s', async (_, make) => {
    const { body } = await request(await make(), await proveRequest(first));
    expect(['invalid_client', 'invalid_request']).toContain(body['error']);
  });

  it('refuses a secret, also with a proof', async () => {
    const { clientId, clientSecret } = service();
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    const { status, body } = await request(undefined, await proveRequest(first), { authorization });
    expect([status, body['error']]).toEqual([401, 'invalid_client']);
  });

  it.each<readonly [string, () => Promise<string> | undefined]>([
    ['none', () => undefined],
    ['one that RS256 signed', () => proveRequest(second, {}, { alg: 'RS256' })],
    ['one for an API', () => prove(first, 'GET', service().exampleUrl)],
  ])('refuses as a proof %s', async (_, make) => {
    const { status, body } = await request(await assertionOf(second), await make());
    expect([status, body['error']]).toEqual([400, 'invalid_dpop_proof']);
  });

  it.each([{ iat: -8 }, { iat: 8 }, { nbf: 0 }, { exp: 60 }])(
    'accepts a proof with %o',
    async (at) => {
      const claims = Object.entries(at).map(([name, seconds]) => [name, now() + seconds]);
      const proof = await proveRequest(first, Object.fromEntries(claims));
      expect((await request(await assertionOf(first), proof)).status).toBe(200);
      expect((await request(await assertionOf(first), proof)).body['error']).toBe(
        'invalid_dpop_proof',
      );
    },
  );
});

describe('an API', () => {
  const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');
  let token: string;

  beforeAll(async () => {
    token = await getToken(first);
  });

  const proveCall = (claims: Members = {}, header: Members = {}, by = first) => {
    const { exampleUrl } = service();
    return prove(by, 'GET', exampleUrl, { ath: hashOf(token), ...claims }, header);
  };
  const call = (headers: readonly string[], query = '') => {
    const { pathname } = new URL(service().exampleUrl);
    return send(service().issuer, pathname + query, headers);
  };
  const callWith = (...proofs: readonly string[]) =>
    call(['Authorization', `DPoP ${token}`, ...proofs.flatMap((proof) => ['DPoP', proof])]);

  it('answers with a date, with and without Accept, and the scheme in any case', async () => {
    for (const scheme of ['DPoP', 'dpop', 'DPOP']) {
      for (const accept of [[], ['Accept', 'application/json']]) {
        const headers = ['Authorization', `${scheme} ${token}`, 'DPoP', await proveCall()];
        const answer = await call([...headers, ...accept, 'x-fapi-interaction-id', randomUUID()]);
        expect(answer.status, answer.body).toBe(200);
        expect(answer.headers['date']).toBeDefined();
        expect(answer.headers).not.toHaveProperty('x-fapi-interaction-id');
      }
    }
  });

  it.each<readonly [string, () => Promise<string>]>([
    ['iat 8 s ago', () => proveCall({ iat: now() - 8 })],
    ['iat in 8 s', () => proveCall({ iat: now() + 8 })],
    ['nbf and exp', () => proveCall({ nbf: now(), exp: now() + 60 })],
    ['a query in htu', () => proveCall({ htu: `${service().exampleUrl}?a=1` })],
  ])('accepts a proof with %s', async (_, make) => {
    expect((await callWith(await make())).status).toBe(200);
  });

  it.each<readonly [string, () => Promise<string>]>([
    ['of another key', () => proveCall({}, {}, second)],
    ['with a private key', () => proveCall({}, { jwk: first.jwk })],
    ['for another method', () => proveCall({ htm: 'POST' })],
    ['for another URL', () => proveCall({ htu: service().tokenUrl })],
    ['for another token', () => proveCall({ ath: hashOf('other') })],
    ['for no token', () => proveCall({ ath: undefined })],
    ['of an hour ago', () => proveCall({ iat: now() - 3600 })],
    ['in an hour', () => proveCall({ iat: now() + 3600 })],
    ['without an id', () => proveCall({ jti: undefined })],
    ['of another type', () => proveCall({}, { typ: 'JWT' })],
  ])('refuses a proof %s', async (_, make) => {
    expect((await callWith(await make())).status).toBe(401);
  });

  it('refuses none, two, one sent again, and the token in another place', async () => {
    const proof = await proveCall();
    expect((await callWith()).status).toBe(401);
    expect((await callWith(await proveCall(), await proveCall())).status).toBe(401);
    expect((await callWith(proof)).status).toBe(200);
    expect((await callWith(proof)).status).toBe(401);
    expect((await call(['Authorization', `Bearer ${token}`])).status).toBe(401);
    const query = `?access_token=${token}`;
    expect((await call(['DPoP', await proveCall()], query)).status).toBe(401);
  });
});
