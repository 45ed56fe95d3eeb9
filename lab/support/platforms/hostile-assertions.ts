import { signParts } from '../test-issuer.ts';
import {
  type Answer,
  assertionRow,
  bodyOf,
  claimsRow,
  encode,
  formRow,
  type HostileRow,
  type HostileWorld,
  headerRow,
  type Members,
  type SubjectName,
  sign,
  signText,
  tamper,
} from './hostile-world.ts';

function setHeader(parts: readonly string[], header: Members): readonly string[] {
  return [encode(JSON.stringify(header)), ...parts.slice(1)];
}

/** Five assertions that differ in what does not matter. */
const attempts = (claims: Members) => ['a', 'b', 'c', 'd', 'e'].map((jti) => ({ ...claims, jti }));

/** Of a client that is refused. */
const ofSubject = (subject: SubjectName) => (world: HostileWorld) =>
  attempts({ sub: world.subjects[subject] });

const beforeRow = (name: string, subject: SubjectName) =>
  claimsRow(
    name,
    'from that second',
    ({ now, subjects }) =>
      [1, 2, 60, 600, 3000].map((age) => ({ sub: subjects[subject], iat: now - age })),
    ({ now, subjects }) => ({ sub: subjects[subject], iat: now }),
  );

const oneWay: Answer = [400, 'invalid_request', 'the client must authenticate in one way'];
const repeated: Answer = [400, 'invalid_request', 'a parameter must not be repeated'];
const tooLarge: Answer = [400, 'invalid_request', 'the request body is too large'];
const both = (answer: Answer) => ({ client_assertion: answer, jwt_bearer: answer });

const formRows: readonly HostileRow[] = [
  formRow(
    'no assertion',
    'the assertion is there',
    {
      client_assertion: [400, 'invalid_request', 'client_assertion is missing'],
      jwt_bearer: [400, 'invalid_request', 'assertion is missing'],
    },
    async ({ subjects }, form) => {
      const empty = bodyOf(form, '');
      const without = new URLSearchParams(empty);
      without.delete('assertion');
      without.delete('client_assertion');
      const more = ['', '&scope=messaging:view', `&client_id=${encodeURIComponent(subjects.good)}`];
      return [empty, ...more.map((text) => without.toString() + text), `${empty}&client_secret=`];
    },
  ),
  formRow('two assertions of one name', 'one of them', both(repeated), async (world, form) => {
    const body = bodyOf(form, await sign(world));
    const name = form === 'client_assertion' ? 'client_assertion' : 'assertion';
    const others = [
      await sign(world),
      '',
      'x',
      'a.b.c',
      await sign(world, { claims: { sub: 'x' } }),
    ];
    return others.map((other) => `${body}&${name}=${other}`);
  }),
  formRow('both forms', 'one of them', both(oneWay), async (world, form) => {
    const [assertion, another] = [await sign(world), await sign(world, { claims: { jti: 'b' } })];
    const body = bodyOf(form, assertion);
    const other = form === 'client_assertion' ? 'assertion' : 'client_assertion';
    const second = [assertion, another, 'x', 'a.b.c'].map((text) => `${body}&${other}=${text}`);
    return [...second, `${body}&client_secret=x`];
  }),
  {
    name: 'a form above 16 KiB',
    change: 'at most 16 KiB',
    answer: both(tooLarge),
    bad: async (world, form) => {
      const body = bodyOf(form, await sign(world));
      const sizes = [16_385, 16_400, 20_000, 65_536, 1_000_000];
      return sizes.map((size) => `${body}&x=`.padEnd(size, 'x'));
    },
    good: async (world, form) => `${bodyOf(form, await sign(world))}&x=`.padEnd(16_384, 'x'),
  },
];

/** Keys as bytes, for an HMAC that a careless verifier would compute with the public key. */
function hmacTokens({ provider }: HostileWorld) {
  const { publicKey, kid } = provider.key;
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const secrets = [
    pem,
    pem.trim(),
    JSON.stringify(publicKey.export({ format: 'jwk' })),
    kid.padEnd(64, '='),
  ];
  const bytes = [
    ...secrets.map((text) => Buffer.from(text)),
    publicKey.export({ format: 'der', type: 'spki' }),
  ];
  return ['HS256', 'HS384', 'HS512'].flatMap((alg) =>
    bytes.map((key) => ({ header: { alg }, key: new Uint8Array(key) })),
  );
}

const signatureRows: readonly HostileRow[] = [
  assertionRow(
    'a malformed assertion',
    'three parts of base64url, the first two of them JSON objects',
    (world) => [
      Promise.resolve('x'),
      Promise.resolve('a.b.c'),
      tamper(world, (parts) => parts.slice(0, 2)),
      tamper(world, (parts) => [...parts, 'x']),
      tamper(world, ([header = '', ...parts]) => [`${header}=`, ...parts]),
      tamper(world, ([header = '', ...parts]) => [` ${header}`, ...parts]),
      tamper(world, (parts) => [encode('not json'), ...parts.slice(1)]),
      tamper(world, (parts) => [encode('[]'), ...parts.slice(1)]),
      tamper(world, (parts) => [parts[0] ?? '', '', parts[2] ?? '']),
      signText(world, 'null'),
      signText(world, '[]'),
      signText(world, '"text"'),
      signText(world, `{"iss":"${world.provider.issuer}","iss":"${world.provider.issuer}"}`),
    ],
  ),
  assertionRow('alg none', 'signed, with the alg of the key', (world) =>
    ['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg) => [
      tamper(world, (parts) => [...setHeader(parts, { alg }).slice(0, 2), '']),
      tamper(world, (parts) => setHeader(parts, { alg, kid: world.provider.key.kid })),
    ]),
  ),
  assertionRow('HMAC with a public key', 'signed with the private key', hmacTokens),
  assertionRow(
    'a key of another issuer',
    'kid and key of this one',
    ({ other, provider, ownKey }) => [
      { header: { kid: other.key.kid }, key: other.key },
      { key: other.key },
      { header: { kid: other.key.kid } },
      { header: { kid: ownKey.kid, alg: ownKey.alg }, key: ownKey },
      { claims: { iss: other.issuer }, header: { kid: provider.key.kid } },
    ],
  ),
  headerRow('a kid that is not published', 'the kid of the key', () =>
    [undefined, '', 'unknown', 'x'.repeat(300), 5, null, '../keys'].map((kid) => ({ kid })),
  ),
  assertionRow(
    'a key that the header brings along',
    'the key that the provider publishes',
    ({ other }) =>
      [
        { jwk: other.key.jwk },
        { jku: `${other.issuer}/jwks` },
        { x5u: `${other.issuer}/cert` },
        { x5c: ['MIIC'] },
        { jwk: other.key.jwk, kid: other.key.kid },
      ].map((header) => ({ header: { ...header }, key: other.key })),
  ),
  assertionRow('an algorithm that is not registered', 'ES256, which is', ({ rsaKey }) =>
    ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => ({
      header: { alg, kid: rsaKey.kid },
      key: rsaKey,
    })),
  ),
  assertionRow('a signature that is not of this text', 'the signature of this text', (world) => [
    tamper(world, ([header = '', payload = '', signature = '']) => [
      header,
      payload,
      `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ]),
    tamper(world, (parts) => [...parts.slice(0, 2), encode(new Uint8Array(64))]),
    tamper(world, (parts) => [...parts.slice(0, 2), encode(new Uint8Array(64).fill(255))]),
    tamper(world, (parts) => [...parts.slice(0, 2), '']),
    tamper(world, ([header = '', payload = '', signature = '']) => {
      const bytes = Buffer.from(signature, 'base64url');
      return [header, payload, encode(Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]))];
    }),
    tamper(world, ([header = '', payload = '', signature = '']) => {
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Members;
      return [header, encode(JSON.stringify({ ...claims, jti: 'other' })), signature];
    }),
  ]),
  headerRow('another kind of token by its typ', 'JWT, or none', () =>
    ['at+jwt', 'application/at+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', '', 5].map(
      (typ) => ({ typ }),
    ),
  ),
  // jose signs no header with an extension that it does not know.
  assertionRow('a header with extensions', 'none', (world) =>
    [['b64'], ['exp'], [], 'x', ['b64', 'b64']].map(async (crit) => {
      const [, payload = ''] = (await sign(world)).split('.');
      const { key } = world.provider;
      const header = { alg: key.alg, kid: key.kid, crit, b64: true, exp: 1 };
      return signParts(key, encode(JSON.stringify(header)), payload);
    }),
  ),
];

const issuerRows: readonly HostileRow[] = [
  claimsRow('an unknown issuer', 'character by character as registered', ({ provider, issuer }) =>
    [
      `${provider.issuer}/`,
      provider.issuer.toUpperCase(),
      provider.issuer.replace('https:', 'http:'),
      provider.issuer.slice(0, -1),
      'https://unknown.example',
      `${provider.issuer}?x`,
      issuer,
      '',
      5,
      undefined,
      [provider.issuer],
    ].map((iss) => ({ iss })),
  ),
  claimsRow('a deleted issuer', 'an issuer that is registered', ({ deletedIssuer: iss }) =>
    attempts({ iss }),
  ),
  claimsRow('keys that cannot be fetched', 'an issuer that answers', ({ unreachableIssuer: iss }) =>
    attempts({ iss }),
  ),
  assertionRow(
    'a provider of a trunk group’s own',
    'a provider of the platform',
    ({ ownedIssuer: iss, other }) =>
      attempts({ iss }).map((claims) => ({
        claims,
        header: { kid: other.key.kid },
        key: other.key,
      })),
  ),
];

const audienceRows: readonly HostileRow[] = [
  claimsRow('a wrong aud', 'the issuer of the service', ({ issuer, tokenUrl, provider }, form) =>
    [
      'https://api.example.com',
      `${issuer}/`,
      issuer.toUpperCase(),
      issuer.slice(0, -1),
      `${issuer}.evil.example`,
      `${tokenUrl}/`,
      provider.issuer,
      ['https://api.example.com'],
      // RFC 7523bis: an authentication names the issuer only.
      ...(form === 'client_assertion' ? [tokenUrl] : []),
    ].map((aud) => ({ aud })),
  ),
  claimsRow(
    'several values of aud',
    'one value',
    ({ issuer, tokenUrl }) =>
      [
        [issuer, 'https://api.example.com'],
        ['https://api.example.com', issuer],
        [issuer, issuer],
        [issuer, tokenUrl],
        [issuer, ''],
        [issuer, 'a', 'b'],
      ].map((aud) => ({ aud })),
    ({ issuer }) => ({ aud: [issuer] }),
  ),
  claimsRow('no aud', 'the issuer of the service', ({ issuer }) =>
    [undefined, null, '', [], [''], 5, true, { aud: issuer }, [[issuer]]].map((aud) => ({ aud })),
  ),
];

const leeway = 10;
/** Seconds by which a client's clock may be ahead. */
const lead = 60;
const tooEarly = 'the assertion is not valid yet';
const hour = 3600;

const timeRows: readonly HostileRow[] = [
  claimsRow(
    'expired',
    'a second later',
    ({ now }) =>
      [now - leeway, now - leeway - 1, now - 60, now - hour, 0].map((exp) => ({
        exp,
        iat: Math.min(now - 60, Math.max(exp - 60, 0)),
      })),
    ({ now }) => ({ exp: now - leeway + 1, iat: now - 60 }),
  ),
  claimsRow(
    'too old',
    'a second younger',
    ({ now }) =>
      [1, 2, 60, hour, 20 * hour].map((more) => ({
        iat: now - hour - leeway - more,
        exp: now + 600,
      })),
    ({ now }) => ({ iat: now - hour - leeway, exp: now + 600 }),
  ),
  {
    ...claimsRow(
      'from the future',
      'a second earlier',
      ({ now }) => [
        { iat: now + lead + 1 },
        { iat: now + 70, exp: now + hour },
        { nbf: now + lead + 1 },
        { nbf: now + 70 },
        { iat: now + hour, nbf: now + hour, exp: now + 2 * hour },
      ],
      ({ now }) => ({ iat: now + lead, nbf: now + lead }),
    ),
    answer: {
      client_assertion: [401, 'invalid_client', tooEarly],
      jwt_bearer: [400, 'invalid_grant', tooEarly],
    },
  },
  claimsRow('times that are no seconds, or missing', 'seconds', ({ now }) => [
    { exp: undefined },
    { iat: undefined },
    { exp: String(now + 600) },
    { iat: String(now) },
    { exp: -0.5 },
    { iat: -1 },
    { nbf: 'now' },
    { exp: now * 1000 },
    { exp: null },
    { exp: 1e300 },
  ]),
];

const subjectRows: readonly HostileRow[] = [
  claimsRow('a subject that begins like a registered one', 'the whole subject', (world) => {
    const { good } = world.subjects;
    return [
      `${good}2`,
      `${good}:x`,
      `${good}/x`,
      good.slice(0, -1),
      good.toUpperCase(),
      ` ${good}`,
      `${good} `,
      `${good}\u0000`,
      `${good}\u200b`,
      '',
      5,
      undefined,
      [good],
    ].map((sub) => ({ sub }));
  }),
  claimsRow(
    'a subject around a pattern',
    'one field in place of the star',
    ({ pattern }) => {
      const prefix = pattern.slice(0, -1);
      return [
        prefix,
        prefix.slice(0, -1),
        `${prefix}a:b`,
        `x${prefix}a`,
        prefix.replace('voice', 'voice2') + 'a',
      ].map((sub) => ({ sub }));
    },
    ({ pattern }) => ({ sub: pattern.replace('*', 'a') }),
  ),
  {
    name: 'client_id of another client',
    change: 'no client_id, or its own',
    bad: async (world, form) => {
      const others = [
        ...world.foreignClientIds,
        world.subjects.disabled,
        'x',
        world.provider.issuer,
      ];
      const assertion = await sign(world);
      return others.map((clientId) => bodyOf(form, assertion, { client_id: clientId }));
    },
    good: async (world, form) =>
      bodyOf(form, await sign(world), { client_id: world.subjects.good }),
  },
  claimsRow('a disabled client', 'a client that is enabled', ofSubject('disabled')),
  beforeRow('from before tokens were revoked', 'revoked'),
  claimsRow('a deleted client', 'a client that exists', ofSubject('deleted')),
  beforeRow('from before a client was deleted and made again', 'recreated'),
  claimsRow(
    'a claim that is not as the client requires',
    'the value',
    ({ subjects }) =>
      [undefined, '43', '420', ' 42', ['42'], { value: '42' }, null].map((project) => ({
        sub: subjects.conditional,
        project_id: project,
      })),
    ({ subjects }) => ({ sub: subjects.conditional, project_id: '42' }),
  ),
];

/** Claims of an access token of this service. */
function ownClaims({ issuer, now, subjects }: HostileWorld): Members {
  const clientId = subjects.good;
  return { iss: issuer, sub: clientId, client_id: clientId, iat: now, exp: now + hour };
}

const tokenRows: readonly HostileRow[] = [
  assertionRow('a token of this service as an assertion', 'a token of the provider', (world) => {
    const { ownKey: key, issuer, tokenUrl } = world;
    const header = { alg: key.alg, kid: key.kid };
    return [
      { claims: { aud: 'https://api.example.com' }, header: { ...header, typ: 'at+jwt' } },
      { claims: { aud: issuer }, header: { ...header, typ: 'at+jwt' } },
      { claims: { aud: issuer }, header },
      { claims: { aud: tokenUrl }, header },
      { claims: { aud: issuer }, header: { ...header, typ: undefined } },
      { claims: { aud: issuer, iss: world.provider.issuer }, header },
    ].map(({ claims, header: given }) => ({
      claims: { ...ownClaims(world), ...claims },
      header: given,
      key,
    }));
  }),
  claimsRow('a token of the provider for an API', 'for this service', () =>
    ['https://api.example.com', 'sts.amazonaws.com', 'api://default', 'account', '*'].map(
      (aud) => ({ aud, scope: 'messaging:view' }),
    ),
  ),
];

/** RFC 7521, 7523, 7519 and 8725, and what the issue of assertions lists. */
export const hostileRows: readonly HostileRow[] = [
  ...formRows,
  ...signatureRows,
  ...issuerRows,
  ...audienceRows,
  ...timeRows,
  ...subjectRows,
  ...tokenRows,
];
