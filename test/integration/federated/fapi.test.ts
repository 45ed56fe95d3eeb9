import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openidConfigurationPath } from '../../../contract/routes.ts';
import { codeBlocks, readPage, root } from '../../../lab/support/markdown.ts';
import { type readConfigFile, synthesise } from '../../lib/synthesise.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalCli } from '../cli/use-authctl.ts';
import { send } from '../verifier/forward-auth/use-forward-auth.ts';

const run = promisify(execFile);

/** The config of the page, which is all that is special about this deployment. */
const page = codeBlocks(readPage('docs/fapi.md')).find(({ language }) => language === 'json');
const config = JSON.parse(page?.lines.join('\n') ?? '') as ReturnType<typeof readConfigFile>;

const { json, authctl, service } = useLocalCli({ config, checkRevocation: 'refuse' });
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

describe('the commands of the page', () => {
  const secure = useLocalCli({ config, checkRevocation: 'refuse', https: true });

  it('lead to a call of an API with a bound token', async () => {
    const block = codeBlocks(readPage('docs/fapi.md')).find(({ lines }) =>
      lines.some((line) => line.includes('key create')),
    );
    const [, ...lines] = block?.lines ?? [];
    const script = lines
      .join('\n')
      .replaceAll('npx --no -- authctl', `"$NODE" ${join(root, 'cli/authctl.ts')}`)
      .replaceAll('npx --no -- node examples', `"$NODE" ${join(root, 'examples')}`)
      .replaceAll('key.jwk', join(folder.path, 'key.jwk'));
    const { environment, paths } = secure.service();
    const env = { ...process.env, ...environment, NODE: process.execPath };
    const cwd = dirname(paths.directory);
    const { stdout } = await run('sh', ['-ec', script], { cwd, env });
    expect(stdout).toMatch(/GET https:\S+ 200, token_type dpop\n$/);
  });

  it('are for TLS without suites that the profile does not allow', async () => {
    const { port } = new URL(secure.service().issuer);
    const connect = async (ciphers: string) => {
      const socket = tls.connect({
        host: 'localhost',
        port: Number(port),
        ciphers,
        maxVersion: 'TLSv1.2',
        rejectUnauthorized: false,
      });
      const event = await once(socket, 'secureConnect').then(
        () => 'connected',
        () => 'refused',
      );
      socket.destroy();
      return event;
    };
    expect(await connect('ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256')).toBe(
      'connected',
    );
    expect(await connect('AESCCM:AES128-SHA256:ECDHE-ECDSA-AES128-SHA256')).toBe('refused');
  });

  it('create clients whose tokens are bound, also for audiences that come later', async () => {
    const words = ['--name', 'New', '--trunk-group', 'tg-7', '--scope', 'messaging:view'];
    const other = 'https://other.example.com';
    const { stderr } = await authctl(['client', 'create', ...words, '--audience', other]);
    expect(stderr).toContain(`Its tokens for ${other} are bound to a key`);
    expect(stderr).toMatch(/client-secret create client_\w+ --public-key/);
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
    [
      'one of a clock that is 90 s ahead',
      () => assertionOf(first, { iat: now() + 90, exp: now() + 99 }),
    ],
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
    ['one that is not valid yet', () => proveRequest(second, { nbf: now() + 90 })],
    ['one that has expired', () => proveRequest(second, { exp: now() - 300 })],
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

  it('names DPoP and its algorithms in the challenge', async () => {
    expect((await call([])).headers['www-authenticate']).toMatch(
      /^Bearer realm=.*, DPoP realm="platform", algs="PS256 ES256 Ed25519 EdDSA"$/,
    );
  });

  it('refuses the token of a client that was disabled', async () => {
    const third = await createHolder('Ed25519');
    token = await getToken(third);
    expect((await callWith(await proveCall({}, {}, third))).status).toBe(200);
    await json(['client', 'disable', third.clientId]);
    expect((await callWith(await proveCall({}, {}, third))).status).toBe(401);
  });
});
