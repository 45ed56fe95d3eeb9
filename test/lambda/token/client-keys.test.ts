import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { type ClientKeyAlg, clientKeyAlgs } from '../../../contract/proof-algorithms.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import type { Client, ClientSecret } from '../../../core/client/client.ts';
import { readClientKey } from '../../../core/client/client-key.ts';
import { isSignatureValid } from '../../../core/jws/jws-signature.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import type { ProxyRequest } from '../../../lab/support/proxy-event.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow as now, tokenEnvironment } from '../../../lab/support/token-settings.ts';
import { createFederation } from '../../../lambda/token/federated.ts';
import { figure } from '../../support/figure.ts';
import { tokenWorld } from '../../support/token-world.ts';

vi.mock(import('../../../core/jws/jws-signature.ts'), { spy: true });

const issuer = tokenEnvironment.issuer;
const tokenUrl = issuer + tokenPath;

type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

const rsa = (modulusLength: number): KeyPair => generateKeyPairSync('rsa', { modulusLength });
const ec = (namedCurve: string): KeyPair => generateKeyPairSync('ec', { namedCurve });
const generate: Readonly<Record<ClientKeyAlg, () => KeyPair>> = {
  ES256: () => ec('P-256'),
  ES384: () => ec('P-384'),
  Ed25519: () => generateKeyPairSync('ed25519'),
  PS256: () => rsa(2048),
  RS256: () => rsa(2048),
  RS384: () => rsa(3072),
};
const makePairs = () =>
  Object.fromEntries(clientKeyAlgs.map((alg) => [alg, generate[alg]()])) as Record<
    ClientKeyAlg,
    KeyPair
  >;
const [pairs, others] = [makePairs(), makePairs()];

const pem = ({ publicKey }: KeyPair) =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString();

function keyOf(alg: ClientKeyAlg, pair: KeyPair, more: Partial<ClientSecret> = {}): ClientSecret {
  return { secretId: `secret_${alg}`, createdAt: 1_000, ...readClientKey(pem(pair), alg), ...more };
}

/** One client has a key of each algorithm; others have one each, which does not work. */
const ids = {
  good: clientIdOf(1),
  neighbour: clientIdOf(2),
  keyDisabled: clientIdOf(3),
  keyExpired: clientIdOf(4),
  disabled: clientIdOf(5),
  onlySecret: clientIdOf(6),
  laterAlg: clientIdOf(7),
  recreated: clientIdOf(8),
  unknown: clientIdOf(9),
};

const one = (more: Partial<ClientSecret> = {}) => [keyOf('ES256', pairs.ES256, more)];
const clients: readonly Client[] = [
  makeClient({
    clientId: ids.good,
    secrets: [makeSecret(secretValueOf(1)), ...clientKeyAlgs.map((alg) => keyOf(alg, pairs[alg]))],
  }),
  makeClient({
    clientId: ids.neighbour,
    secrets: clientKeyAlgs.map((alg) => keyOf(alg, others[alg])),
  }),
  makeClient({ clientId: ids.keyDisabled, secrets: one({ stops: personStop }) }),
  makeClient({ clientId: ids.keyExpired, secrets: one({ expiresAt: now }) }),
  makeClient({ clientId: ids.disabled, secrets: one(), stops: personStop }),
  makeClient({ clientId: ids.onlySecret }),
  makeClient({ clientId: ids.laterAlg, secrets: one({ alg: 'ML-DSA-44' }) }),
  makeClient({ clientId: ids.recreated, secrets: [keyOf('ES256', others.ES256)] }),
  makeClient({ clientId: syntheticClientId('slc') }),
];

const settings = {
  algorithms: [...clientKeyAlgs],
  only: false,
  maxAge: 120,
  tokenEndpointAudience: false,
};

interface More {
  readonly providers?: true;
  readonly clientSecretPost?: true;
}

function open(changed: Partial<typeof settings> & More = {}) {
  const { providers, clientSecretPost, ...own } = changed;
  const clientKeys = { ...settings, ...own };
  const federation = {
    maxAge: 3600,
    ownProviders: false,
    ...(providers ? {} : { providers: false }),
    clientKeys,
    identityProvidersTable: 'idp',
    signingKeysTable: 'keys',
    tokenEndpoints: [tokenUrl],
  } as never;
  const refuse = () => Promise.reject(new Error('not used'));
  const calls = { get: providers ? async () => ({}) : refuse, query: refuse, update: refuse };
  const environment = { ...(clientKeys.only && { keysOnly: true as const }), clientSecretPost };
  const { issue, stores, reports } = tokenWorld(
    clients,
    undefined,
    environment,
    (reader, clock) => ({
      federation: createFederation({ issuer, settings: federation, calls, clients: reader, clock }),
    }),
  );
  const counts = () => ({
    reads: stores.findClient.mock.calls.length,
    uses: stores.recordUse.mock.calls.map((use: readonly unknown[]) => use.slice(0, 2).join(' ')),
  });
  const send = async ({ headers, ...request }: Partial<ProxyRequest>, sourceIp = '192.0.2.1') => {
    const all = { Authorization: [], ...headers };
    const { statusCode, body } = await issue({ ...request, headers: all, sourceIp });
    return { status: statusCode, body: JSON.parse(body) as Record<string, unknown> };
  };
  return { send, counts, reports };
}

interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly alg?: ClientKeyAlg;
  /** What signs it, if that is not the key of the client. */
  readonly key?: KeyObject | Uint8Array;
  readonly edit?: (parts: readonly string[]) => readonly string[];
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const defined = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

async function sign({ claims, header, alg = 'ES256', key, edit }: Changes): Promise<string> {
  const usual = { iss: ids.good, sub: ids.good, aud: issuer, iat: now, exp: now + 60, jti: 'a' };
  const payload = Buffer.from(JSON.stringify(defined({ ...usual, ...claims })));
  const protectedHeader = defined({ alg, typ: 'JWT', ...header }) as { alg: string };
  const signing = new CompactSign(payload).setProtectedHeader(protectedHeader);
  const crit = Object.fromEntries(
    ((header?.['crit'] as string[] | undefined) ?? []).map((name) => [name, true]),
  );
  const text = await signing.sign(key ?? pairs[alg].privateKey, { crit });
  return edit === undefined ? text : edit(text.split('.')).join('.');
}

async function bodyOf(changes: Changes = {}): Promise<string> {
  const form = {
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: changes.form?.['client_assertion'] ?? (await sign(changes)),
    ...changes.form,
  };
  return new URLSearchParams(defined(form)).toString();
}

type Answer = readonly [status: number, error: string, description: string];
const failed: Answer = [401, 'invalid_client', 'client authentication failed'];
const tooEarly: Answer = [401, 'invalid_client', 'the assertion is not valid yet'];
const oneWay: Answer = [400, 'invalid_request', 'the client must authenticate in one way'];
const otherType: Answer = [
  400,
  'invalid_request',
  'client_assertion_type must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
];
const repeated: Answer = [400, 'invalid_request', 'a parameter must not be repeated'];

/** What is wrong, and the same request in which that is right. */
interface Row {
  readonly name: string;
  readonly bad: Changes;
  readonly good?: Changes;
  readonly answer?: Answer;
  /** After everything else. */
  readonly append?: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const row = (name: string, bad: Changes, good: Changes = {}, answer = failed): Row => ({
  name,
  bad,
  good,
  answer,
});
const by = (client: keyof typeof ids) => ({ iss: ids[client], sub: ids[client] });

/** An algorithm, and the key of another one that could sign with it. */
const crossed: readonly (readonly [ClientKeyAlg, ClientKeyAlg])[] = [
  ['RS256', 'PS256'],
  ['PS256', 'RS256'],
  ['RS384', 'RS256'],
  ['RS256', 'RS384'],
];
const unknownAlgs = [
  ['PS384', 'PS256'],
  ['RS512', 'RS256'],
] as const;

const keyRows: readonly Row[] = [
  ...clientKeyAlgs.flatMap((alg) => [
    row(`${alg}: a key of no client`, { alg, key: generate[alg]().privateKey }, { alg }),
    row(`${alg}: the key of another client`, { alg, key: others[alg].privateKey }, { alg }),
    row(`${alg}: for another client`, { alg, claims: by('neighbour') }, { alg }),
    row(`${alg}: of another client, in its sub`, { alg, claims: { sub: ids.neighbour } }, { alg }),
    row(`${alg}: of another client, in its iss`, { alg, claims: { iss: ids.neighbour } }, { alg }),
    row(
      `${alg}: the key of another, with the kid of the client's`,
      { alg, key: others[alg].privateKey, header: { kid: `secret_${alg}` } },
      { alg, header: { kid: `secret_${alg}` } },
    ),
    row(
      `${alg}: a signature of other claims`,
      {
        alg,
        edit: ([h = '', , s = '']) => [
          h,
          encode({ ...by('good'), aud: issuer, iat: now, exp: now + 61 }),
          s,
        ],
      },
      { alg },
    ),
    row(
      `${alg}: a signature that is cut`,
      { alg, edit: ([h = '', p = '', s = '']) => [h, p, s.slice(0, -4)] },
      { alg },
    ),
    row(`${alg}: a signature of nothing`, { alg, edit: ([h = '', p = '']) => [h, p, ''] }, { alg }),
    row(
      `${alg}: a signature of zeros`,
      {
        alg,
        edit: ([h = '', p = '', s = '']) => [
          h,
          p,
          Buffer.alloc(Buffer.from(s, 'base64url').length).toString('base64url'),
        ],
      },
      { alg },
    ),
    row(
      `${alg}: alg none`,
      { alg, edit: ([, p = '']) => [encode({ alg: 'none', typ: 'JWT' }), p, ''] },
      { alg },
    ),
    row(
      `${alg}: alg none and a signature`,
      { alg, edit: ([, p = '', s = '']) => [encode({ alg: 'none' }), p, s] },
      { alg },
    ),
    ...['HS256', 'HS384', 'HS512'].map((hs) =>
      row(
        `${alg}: ${hs} with the public key`,
        { alg, header: { alg: hs }, key: Buffer.from(pem(pairs[alg]).padEnd(64)) },
        { alg },
      ),
    ),
    row(
      `${alg}: a header that names another alg`,
      {
        alg,
        edit: ([, p = '', s = '']) => [
          encode({ alg: alg === 'ES256' ? 'ES384' : 'ES256', typ: 'JWT' }),
          p,
          s,
        ],
      },
      { alg },
    ),
  ]),
  ...crossed.map(([alg, other]) =>
    row(`${alg} with the key of ${other}`, { alg, key: pairs[other].privateKey }, { alg: other }),
  ),
  ...unknownAlgs.map(([alg, other]) =>
    row(
      `${alg} with the key of ${other}`,
      { header: { alg }, key: pairs[other].privateKey },
      { alg: other },
    ),
  ),
  row('a key that is disabled', { claims: by('keyDisabled') }),
  row('a key that has ended', { claims: by('keyExpired') }),
  row('a client that is disabled', { claims: by('disabled') }),
  row('a client that has only a secret', { claims: by('onlySecret') }),
  row('a key with an algorithm of a later release', { claims: by('laterAlg') }),
  row('the key of a client before it was made again', { claims: by('recreated') }),
  row('a client that does not exist', { claims: by('unknown') }),
  row(
    'a key in the header',
    {
      key: others.ES256.privateKey,
      header: { jwk: others.ES256.publicKey.export({ format: 'jwk' }) },
    },
    { header: { jwk: others.ES256.publicKey.export({ format: 'jwk' }) } },
  ),
  row(
    'the address of keys in the header',
    { key: others.ES256.privateKey, header: { jku: 'https://x.example/jwks' } },
    { header: { jku: 'https://x.example/jwks' } },
  ),
];

const headerRows: readonly Row[] = [
  ...['at+jwt', 'application/at+jwt', 'dpop+jwt', 'secevent+jwt', 'JOSE', ''].map((typ) =>
    row(`typ ${JSON.stringify(typ)}`, { header: { typ } }),
  ),
  row('typ that is no text', { header: { typ: 1 } }, { header: { typ: undefined } }),
  row('crit', { header: { crit: ['exp'], exp: now } }, { header: { exp: now } }),
  row('a kid of 300 characters', { header: { kid: 'k'.repeat(300) } }, { header: { kid: 'k' } }),
  row('a kid that is no text', { header: { kid: 1 } }, { header: { kid: '1' } }),
  row('an empty kid', { header: { kid: '' } }, { header: { kid: undefined } }),
];

const claimRows: readonly Row[] = [
  ...['iss', 'sub', 'aud', 'exp'].map((name) =>
    row(`no ${name}`, { claims: { [name]: undefined } }),
  ),
  ...['iss', 'sub'].flatMap((name) =>
    [1, null, '', [ids.good], ` ${ids.good}`, ids.good.toUpperCase()].map((value) =>
      row(`${name} ${JSON.stringify(value)}`, { claims: { [name]: value } }),
    ),
  ),
  row('iss of this service', { claims: { iss: issuer } }),
  row('iss and sub of this service', { claims: { iss: issuer, sub: issuer } }),
  ...[
    [issuer],
    [issuer, 'https://other.example'],
    ['https://other.example', issuer],
    [],
    `${issuer}/`,
    `${issuer} `,
    issuer.toUpperCase(),
    issuer.replace('https', 'http'),
    tokenUrl,
    `${tokenUrl}/`,
    `${issuer}/.well-known/openid-configuration`,
    'https://api.example.com',
    ids.good,
    '',
    null,
    1,
    { issuer },
  ].map((aud) => row(`aud ${JSON.stringify(aud)}`, { claims: { aud } })),
  row('expired', { claims: { exp: now - 10 } }, { claims: { exp: now - 9 } }),
  row(
    'expired long ago',
    { claims: { iat: now - 100, exp: now - 50 } },
    { claims: { iat: now - 100 } },
  ),
  // As the SDK of Nimbus sends it.
  row(
    'no iat, and an end in over 120 s',
    { claims: { iat: undefined, exp: now + 131 } },
    { claims: { iat: undefined, exp: now + 130 } },
  ),
  row('older than 120 s', { claims: { iat: now - 131 } }, { claims: { iat: now - 130 } }),
  row(
    'as old as its exp allows',
    { claims: { iat: now - 3000, exp: now + 600 } },
    { claims: { exp: now + 600 } },
  ),
  row('from the future', { claims: { iat: now + 61 } }, { claims: { iat: now + 60 } }, tooEarly),
  row('not valid yet', { claims: { nbf: now + 61 } }, { claims: { nbf: now + 60 } }, tooEarly),
  row(
    'not valid yet, without iat',
    { claims: { iat: undefined, nbf: now + 61, exp: now + 90 } },
    { claims: { iat: undefined, nbf: now + 60, exp: now + 90 } },
    tooEarly,
  ),
  row('valid for 25 hours', { claims: { exp: now + 90_000 } }, { claims: { exp: now + 86_400 } }),
  ...['iat', 'exp', 'nbf'].flatMap((name) =>
    [String(now), null, -1, 1e300, [now], { now }].map((value) =>
      row(`${name} ${JSON.stringify(value)}`, { claims: { [name]: value } }),
    ),
  ),
];

const formRows: readonly Row[] = [
  ...['x', 'a.b.c', '..', '{}'].map((client_assertion) =>
    row(`an assertion ${client_assertion}`, { form: { client_assertion } }),
  ),
  row('two parts', { edit: (parts) => parts.slice(0, 2) }),
  row('four parts', { edit: (parts) => [...parts, 'x'] }),
  row('padding', { edit: ([h = '', ...rest]) => [`${h}=`, ...rest] }),
  row('a blank', { edit: ([h = '', ...rest]) => [` ${h}`, ...rest] }),
  row('claims that are no object', { edit: ([h = '', , s = '']) => [h, encode([]), s] }),
  row('a claim twice', {
    edit: ([h = '', , s = '']) => [
      h,
      Buffer.from(`{"iss":"${ids.good}","iss":"${ids.good}"}`).toString('base64url'),
      s,
    ],
  }),
  row('17 KiB', { header: { x: 'x'.repeat(17 * 1024) } }, {}, [
    400,
    'invalid_request',
    'the request body is too large',
  ]),
  row(
    'with a Basic header',
    { headers: { Authorization: basic(ids.good, secretValueOf(1)) } },
    {},
    oneWay,
  ),
  row(
    'with a wrong Basic header',
    { headers: { Authorization: basic(ids.good, 'x') } },
    {},
    oneWay,
  ),
  row('with a Bearer header', { headers: { Authorization: 'Bearer x' } }, {}, oneWay),
  row('with a client_secret', { form: { client_secret: secretValueOf(1) } }, {}, oneWay),
  row('with an assertion of the grant', { form: { assertion: 'x' } }, {}, oneWay),
  row(
    'with the client_id of another',
    { form: { client_id: ids.neighbour } },
    { form: { client_id: ids.good } },
    [400, 'invalid_request', 'client_id must be the client that signed the assertion'],
  ),
  row('without its type', { form: { client_assertion_type: undefined } }, {}, otherType),
  row(
    'with a type of SAML',
    { form: { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' } },
    {},
    otherType,
  ),
  row('without a grant', { form: { grant_type: undefined } }, {}, [
    400,
    'invalid_request',
    'grant_type is missing',
  ]),
  row(
    'with the grant of workloads',
    { form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' } },
    {},
    [400, 'unsupported_grant_type', 'grant_type must be client_credentials'],
  ),
  { ...row('twice', {}, {}, repeated), append: '&client_assertion=x' },
  { ...row('with its type twice', {}, {}, repeated), append: '&client_assertion_type=x' },
];

const rows = [...keyRows, ...headerRows, ...claimRows, ...formRows];

describe('an assertion of a client', () => {
  it.each(rows.map((one) => [one.name, one] as const))(
    'is refused, and its neighbour is not: %s',
    async (_, { bad, good = {}, answer = failed, append = '' }) => {
      const refused = await open().send({
        body: (await bodyOf(bad)) + append,
        headers: bad.headers ?? {},
      });
      const [status, error, error_description] = answer;
      expect([refused.status, refused.body]).toEqual([status, { error, error_description }]);
      const accepted = await open().send({ body: await bodyOf(good) });
      expect([accepted.status, accepted.body['error_description']]).toEqual([200, undefined]);
    },
  );

  it('is one of 120 and more, of which none gets a token', () => {
    figure('hostile assertions of keys', { rows: rows.length });
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(120);
  });

  it('is read with form, header, aud and times before anything is read or verified', async () => {
    const cheap = [...headerRows, ...claimRows, ...formRows].filter(
      ({ name }) => !name.startsWith('iss '),
    );
    for (const { name, bad, append = '' } of cheap) {
      vi.mocked(isSignatureValid).mockClear();
      const { send, counts } = open();
      await send({ body: (await bodyOf(bad)) + append, headers: bad.headers ?? {} });
      expect([counts().reads, vi.mocked(isSignatureValid).mock.calls.length], name).toEqual([0, 0]);
    }
  });
});

describe('a client with keys', () => {
  it('gets a token by each of them, regardless of the kid, and the use of that key is recorded', async () => {
    for (const alg of clientKeyAlgs) {
      for (const kid of [undefined, 'any', `secret_${alg}`]) {
        const { send, counts, reports } = open();
        const { status } = await send({ body: await bodyOf({ alg, header: { kid } }) });
        expect([status, counts()]).toEqual([
          200,
          { reads: 1, uses: [`${ids.good} secret_${alg}`] },
        ]);
        expect(reports[0]?.fields).toMatchObject({
          client_id: ids.good,
          secret_id: `secret_${alg}`,
        });
      }
    }
  });

  it('may call Ed25519 by either of its names', async () => {
    const body = await bodyOf({ header: { alg: 'EdDSA' }, key: pairs.Ed25519.privateKey });
    expect((await open().send({ body })).status).toBe(200);
  });

  it('also gets one by its secret, and a key is no secret', async () => {
    const { send } = open();
    const body = 'grant_type=client_credentials';
    const withBasic = (password: string) =>
      send({ body, headers: { Authorization: basic(ids.good, password) } });
    expect((await withBasic(secretValueOf(1))).status).toBe(200);
    const { publicKey = '' } = keyOf('ES256', pairs.ES256);
    for (const password of [publicKey, publicKey.replace('.', ''), 'undefined', 'ES256']) {
      expect((await withBasic(password)).status).toBe(401);
    }
  });

  it('also gets one by a secret in the body with clientSecretPost, and only without anything else', async () => {
    const { send, counts } = open({ clientSecretPost: true, providers: true });
    const posted = `client_id=${ids.good}&client_secret=${secretValueOf(1)}`;
    const grant = `grant_type=client_credentials&${posted}`;
    expect((await send({ body: grant })).status).toBe(200);
    expect((await send({ body: await bodyOf() })).status).toBe(200);
    expect(counts().reads).toBe(2);
    const headers = { Authorization: basic(ids.good, secretValueOf(1)) };
    const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    for (const request of [
      { body: grant, headers },
      { body: `${await bodyOf()}&client_secret=x` },
      { body: `${grant}&assertion=x` },
      { body: `grant_type=${jwtBearer}&assertion=x&${posted}` },
      { body: grant, query: 'assertion=x' },
    ]) {
      expect((await send(request)).status).toBe(400);
    }
    expect((await open({ providers: true }).send({ body: grant })).status).toBe(401);
    const { body } = await send({ body: 'grant_type=client_credentials' });
    expect(body['error_description']).toContain('or an assertion');
    expect(counts().reads).toBe(2);
  });

  it('costs the reads and verifications of another key if it has none, or does not exist', async () => {
    const cost = async (client: keyof typeof ids, alg: ClientKeyAlg) => {
      vi.mocked(isSignatureValid).mockClear();
      const { send, counts } = open();
      const key = generate[alg]().privateKey;
      await send({ body: await bodyOf({ alg, claims: by(client), key }) });
      const { calls } = vi.mocked(isSignatureValid).mock;
      return [counts().reads, calls.length, calls[0]?.[1].asymmetricKeyType];
    };
    for (const alg of clientKeyAlgs) {
      const [other, ...rest] = [
        await cost('good', alg),
        await cost('unknown', alg),
        await cost('onlySecret', alg),
        await cost('laterAlg', alg),
      ];
      expect(other?.slice(0, 2)).toEqual([1, 1]);
      expect(rest).toEqual([other, other, other]);
    }
  });

  it('may send an assertion again until it is 120 s old: its jti is not remembered', async () => {
    const { send } = open();
    const body = await bodyOf();
    expect([(await send({ body })).status, (await send({ body })).status]).toEqual([200, 200]);
  });

  it('is refused for a while after 20 failures from one address, without a read; others are not', async () => {
    const { send, counts, reports } = open();
    const wrong = { key: others.ES256.privateKey, header: { kid: 'old' } };
    const statuses: number[] = [];
    for (let count = 0; count < 30; count += 1) {
      statuses.push((await send({ body: await bodyOf(wrong) })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
    expect(counts().reads).toBe(20);
    // No alarm counts them, as with assertions of workloads.
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(
      new Set(['assertion_refused', 'assertion_throttled']),
    );
    const good = await bodyOf({ header: { kid: 'new' } });
    expect((await send({ body: good })).status).toBe(200);
    expect((await send({ body: await bodyOf(wrong) }, '192.0.2.2')).status).toBe(401);
    for (let kid = 0; kid < 10; kid += 1) {
      await send({ body: await bodyOf({ ...wrong, header: { kid: `guess ${kid}` } }) });
    }
    expect((await send({ body: good })).status).toBe(429);
    expect((await send({ body: good }, '192.0.2.2')).status).toBe(200);
  });
});

describe('a deployment with clientKeys', () => {
  it('accepts a token endpoint as aud only if it says so', async () => {
    const body = await bodyOf({ claims: { aud: tokenUrl } });
    expect((await open({ tokenEndpointAudience: true }).send({ body })).status).toBe(200);
    expect(
      (await open({ tokenEndpointAudience: true }).send({ body: await bodyOf() })).status,
    ).toBe(200);
  });

  it('accepts only the algorithms and ages that it says', async () => {
    const strict = () => open({ algorithms: ['PS256'], maxAge: 30 });
    expect((await strict().send({ body: await bodyOf() })).status).toBe(401);
    expect((await strict().send({ body: await bodyOf({ alg: 'PS256' }) })).status).toBe(200);
    const old = await bodyOf({ alg: 'PS256', claims: { iat: now - 41 } });
    expect((await strict().send({ body: old })).status).toBe(401);
  });

  it('lets no secret authenticate if keys are the only way, except of a synthetic check', async () => {
    const { send, counts } = open({ only: true });
    const form = 'grant_type=client_credentials';
    const sentence = 'the client must authenticate with private_key_jwt';
    const asked = [
      { body: form, headers: { Authorization: basic(ids.good, secretValueOf(1)) } },
      { body: form },
      { body: `${form}&client_id=${ids.good}&client_secret=${secretValueOf(1)}` },
    ];
    for (const request of asked) {
      const { status, body } = await send(request);
      expect([status, body['error'], body['error_description']]).toEqual([
        401,
        'invalid_client',
        sentence,
      ]);
    }
    expect(counts().reads).toBe(0);
    expect((await send({ body: await bodyOf() })).status).toBe(200);
    const check = basic(syntheticClientId('slc'), secretValueOf(1));
    expect((await send({ body: form, headers: { Authorization: check } })).status).toBe(200);
  });

  it('reads no provider unless assertions of providers are accepted', async () => {
    const body = await bodyOf({ claims: { iss: 'https://idp.example.com' } });
    expect((await open().send({ body })).status).toBe(401);
    const { send } = open({ providers: true });
    expect((await send({ body })).status).toBe(401);
    expect((await send({ body: await bodyOf() })).status).toBe(200);
    const grant = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await sign({}),
    }).toString();
    expect((await send({ body: grant })).body['error']).toBe('invalid_grant');
  });
});
