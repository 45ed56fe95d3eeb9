import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { CompactSign, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ProofAlg, proofAlgs } from '../../../contract/proof-algorithms.ts';
import type { RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import type { ProofTarget } from '../../../core/verifier/dpop-proof.ts';
import { ProofMemory, ProofNonces } from '../../../core/verifier/proof-memory.ts';
import { encodeJson, signToken } from '../../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  createWorld,
  now,
  ownClaims,
  ownKey,
  providerClaims,
  providerKey,
  refusalOf,
} from '../../../lab/support/verifier-world.ts';
import { figure } from '../../support/figure.ts';

interface Holder {
  readonly alg: ProofAlg;
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
  readonly privateJwk: JsonWebKey;
  readonly jkt: string;
}

const pairs = {
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ec384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ed: () => generateKeyPairSync('ed25519'),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

const pairOf: Readonly<Record<ProofAlg, keyof typeof pairs>> = {
  ES256: 'ec',
  ES384: 'ec384',
  Ed25519: 'ed',
  EdDSA: 'ed',
  PS256: 'rsa',
  RS256: 'rsa',
  RS384: 'rsa',
};

/** RFC 7638, by a second hand. */
function thumbprintOf(jwk: JsonWebKey): string {
  const members = {
    RSA: ['e', 'kty', 'n'],
    EC: ['crv', 'kty', 'x', 'y'],
    OKP: ['crv', 'kty', 'x'],
  };
  const names = members[jwk.kty as keyof typeof members];
  return createHash('sha256').update(JSON.stringify(jwk, names)).digest('base64url');
}

function createHolder(alg: ProofAlg, pair = pairs[pairOf[alg]]()): Holder {
  const jwk = pair.publicKey.export({ format: 'jwk' });
  const privateJwk = pair.privateKey.export({ format: 'jwk' });
  return { alg, privateKey: pair.privateKey, jwk, privateJwk, jkt: thumbprintOf(jwk) };
}

const holder = createHolder('ES256');
const stranger = createHolder('ES256');
const url = 'https://api.example.com/messages';

function tokenFor({ jkt }: Pick<Holder, 'jkt'>, claims: object = {}): string {
  return signToken(ownKey, { ...ownClaims, cnf: { jkt }, ...claims });
}

const token = tokenFor(holder);

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

let count = 0;

const goodClaims = () => ({
  htm: 'GET',
  htu: url,
  iat: now,
  jti: `proof-${++count}`,
  ath: hashOf(token),
});

/** A proof by jose, with parts of it replaced; `undefined` removes one. */
function prove(
  changes: { readonly claims?: object; readonly header?: object; readonly by?: Holder } = {},
): Promise<string> {
  const { claims = {}, header = {}, by = holder } = changes;
  const protectedHeader = { typ: 'dpop+jwt', alg: by.alg, jwk: by.jwk, ...header };
  return new SignJWT({ ...goodClaims(), ...claims })
    .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
    .sign(by.privateKey);
}

/** For headers that jose refuses to write: the signature is that of the text all the same. */
async function forge(header: object, claims: object = goodClaims(), by = holder): Promise<string> {
  const text = `${encodeJson(header)}.${encodeJson(claims)}`;
  const { sign } = await import('node:crypto');
  const key = { key: by.privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

let memory = new ProofMemory();
let world = createWorld({ proofs: { memory } });

beforeEach(() => {
  memory = new ProofMemory();
  world = createWorld({ proofs: { memory } });
});

async function outcomeOf(
  authorization: string,
  proofs: readonly string[],
  target: Partial<ProofTarget> = {},
): Promise<RefusalReason | 'accepted'> {
  const request = { target: { proofs, method: 'GET', urls: [url], ...target } };
  const verifying = world.verify(authorization, [], request);
  return verifying.then(
    () => 'accepted',
    async () => (await refusalOf(verifying)).reason,
  );
}

const send = (proof: string, target: Partial<ProofTarget> = {}) =>
  outcomeOf(`DPoP ${token}`, [proof], target);

describe('a token that is bound to a key', () => {
  it.each(proofAlgs)('is accepted with a proof by %s', async (alg) => {
    const by = createHolder(alg);
    const bound = tokenFor(by);
    const proof = await prove({ by, claims: { ath: hashOf(bound) } });
    expect(await outcomeOf(`DPoP ${bound}`, [proof])).toBe('accepted');
  });

  it('says which key the caller proved', async () => {
    const target = { proofs: [await prove()], method: 'GET', urls: [url] };
    expect(await world.verify(`dpop ${token}`, [], { target })).toMatchObject({
      boundTo: holder.jkt,
      clientId: ownClaims.client_id,
    });
  });

  it('is accepted of a registered provider too, and never as a bearer token', async () => {
    const bound = signToken(providerKey, { ...providerClaims, cnf: { jkt: holder.jkt } });
    const proof = await prove({ claims: { ath: hashOf(bound) } });
    expect(await outcomeOf(`Bearer ${bound}`, [proof])).toBe('token_bound');
    expect(await outcomeOf(`DPoP ${bound}`, [proof])).toBe('accepted');
  });

  it('is refused by a verifier without proofs', async () => {
    world = createWorld();
    const proof = await prove();
    expect(await outcomeOf(`Bearer ${token}`, [proof])).toBe('token_bound');
    expect(await outcomeOf(`DPoP ${token}`, [proof])).toBe('proof_not_checkable');
  });

  it('is refused if the request is not known', async () => {
    const refusal = await refusalOf(world.verify(`DPoP ${token}`));
    expect(refusal.reason).toBe('proof_not_checkable');
  });

  it.each([
    ['a certificate', { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' }],
    ['a certificate and a key', { jkt: 'a', 'x5t#S256': 'b' }],
    ['a key in place of its thumbprint', { jwk: { kty: 'EC' } }],
    ['a key id', { kid: 'a' }],
    ['nothing', {}],
    ['a text', 'a'],
    ['null', null],
    ['a list', [{ jkt: 'a' }]],
    ['a thumbprint that is no text', { jkt: 1 }],
  ])('is refused with a confirmation by %s', async (_, cnf) => {
    for (const claims of [ownClaims, providerClaims]) {
      const key = claims === ownClaims ? ownKey : providerKey;
      const other = signToken(key, { ...claims, cnf });
      expect(await outcomeOf(`Bearer ${other}`, [])).toBe('token_confirmation_unknown');
      expect(await outcomeOf(`DPoP ${other}`, [])).toBe('token_confirmation_unknown');
    }
  });
});

describe('a credential that is not bound', () => {
  it('is a bearer credential, as for a verifier without proofs', async () => {
    const bearer = signToken(ownKey, ownClaims);
    expect(await outcomeOf(`Bearer ${bearer}`, [])).toBe('accepted');
    expect(await outcomeOf(`Bearer ${apiKeyValue}`, [])).toBe('accepted');
  });

  it('is refused with the scheme DPoP', async () => {
    const bearer = signToken(ownKey, ownClaims);
    const proof = await prove({ claims: { ath: hashOf(bearer) } });
    expect(await outcomeOf(`DPoP ${bearer}`, [proof])).toBe('token_not_bound');
    expect(await outcomeOf(`DPoP ${apiKeyValue}`, [proof])).toBe('token_not_bound');
  });
});

type Row = readonly [what: string, make: () => Promise<string>, reason?: RefusalReason];

const claimRows: readonly Row[] = [
  ...[undefined, null, '', 1, true, [], {}, ['GET'], 'get', 'POST', 'GET ', ' GET', 'HEAD'].map(
    (htm): Row => [`htm ${JSON.stringify(htm)}`, () => prove({ claims: { htm } })],
  ),
  ...[
    undefined,
    null,
    '',
    1,
    [],
    [url],
    {},
    'messages',
    '/messages',
    'https://api.example.com',
    'https://api.example.com/',
    `${url}/`,
    `${url}/1`,
    'https://api.example.com/Messages',
    'https://api.example.com/other',
    'https://api.example.com//messages',
    'https://api.example.com/messages%2F',
    'https://api.example.com/%2Fmessages',
    'https://api.example.com/x/../../other',
    'https://api.example.com\\messages',
    'http://api.example.com/messages',
    'https://api.example.com:8443/messages',
    'https://api.example.com.evil.example/messages',
    'https://evil.example/messages',
    'https://evil.example/https://api.example.com/messages',
    'https://api.example.com@evil.example/messages',
    'https://user@api.example.com/messages',
    'https://user:password@api.example.com/messages',
    'https://sub.api.example.com/messages',
    'https://api.example.com./messages',
    'https://api.example.com/mess ages',
    ' https://api.example.com/messages',
    'https://api.example.com/messages\n',
    'https://ａpi.example.com/messages',
    'javascript:alert(1)',
    'urn:example:messages',
    'https:/api.example.com/other',
  ].map((htu): Row => [`htu ${JSON.stringify(htu)}`, () => prove({ claims: { htu } })]),
  ...[
    undefined,
    null,
    '',
    String(now),
    true,
    [now],
    {},
    0,
    -now,
    now - 71,
    now - 3600,
    now + 11,
    now + 60,
    now + 3600,
    now * 1000,
    1e300,
    now - 70.5,
    now + 10.5,
  ].map((iat): Row => [`iat ${JSON.stringify(iat)}`, () => prove({ claims: { iat } })]),
  ...[undefined, null, '', 1, true, [], {}, 'x'.repeat(257)].map(
    (jti): Row => [`jti ${JSON.stringify(jti)?.slice(0, 20)}`, () => prove({ claims: { jti } })],
  ),
  ...[
    undefined,
    null,
    '',
    1,
    [],
    token,
    hashOf('another token'),
    hashOf(`${token} `),
    `${hashOf(token)}=`,
    createHash('sha256').update(token).digest('hex'),
    createHash('sha512').update(token).digest('base64url'),
  ].map((ath): Row => [`ath ${String(ath).slice(0, 12)}`, () => prove({ claims: { ath } })]),
];

const headerRows: readonly Row[] = [
  ...[undefined, '', 'JWT', 'at+jwt', 'dpop', 'application/jwt', 'dpop+jwt ', 'jwt+dpop'].map(
    (typ): Row => [`typ ${String(typ)}`, () => prove({ header: { typ } })],
  ),
  ...[undefined, null, '', 1, [], {}, 'key', { kty: 'EC' }, { ...holder.jwk, x: undefined }].map(
    (jwk): Row => [
      `jwk ${JSON.stringify(jwk)?.slice(0, 30)}`,
      () => forge({ typ: 'dpop+jwt', alg: 'ES256', jwk }),
    ],
  ),
  ['a private key', () => prove({ header: { jwk: holder.privateJwk } })],
  ['a private member', () => prove({ header: { jwk: { ...holder.jwk, d: 'AA' } } })],
  ['a symmetric key', () => forge({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } })],
  ['a symmetric member', () => prove({ header: { jwk: { ...holder.jwk, k: 'AA' } } })],
  ['x with padding', () => prove({ header: { jwk: { ...holder.jwk, x: `${holder.jwk.x}=` } } })],
  ['x that is a number', () => prove({ header: { jwk: { ...holder.jwk, x: 1 } } })],
  [
    'another curve’s name',
    () => prove({ header: { jwk: { ...holder.jwk, crv: 'P-384' } } }),
    'proof_key_wrong',
  ],
  ['a kid in place of the key', () => forge({ typ: 'dpop+jwt', alg: 'ES256', kid: holder.jkt })],
  ['x5c in place of the key', () => forge({ typ: 'dpop+jwt', alg: 'ES256', x5c: ['AA'] })],
  ['jku in place of the key', () => forge({ typ: 'dpop+jwt', alg: 'ES256', jku: url })],
  ['crit', () => forge({ typ: 'dpop+jwt', alg: 'ES256', jwk: holder.jwk, crit: ['exp'] })],
  ['crit of nothing', () => forge({ typ: 'dpop+jwt', alg: 'ES256', jwk: holder.jwk, crit: [] })],
  ...[
    'none',
    'HS256',
    'HS512',
    'ES512',
    'PS384',
    'RS1',
    'es256',
    'ML-DSA-44',
    '',
    undefined,
    1,
  ].map(
    (alg): Row => [`alg ${String(alg)}`, () => forge({ typ: 'dpop+jwt', alg, jwk: holder.jwk })],
  ),
  ...(['ES384', 'PS256', 'RS256', 'Ed25519', 'EdDSA'] as const).map(
    (alg): Row => [
      `alg ${alg} with a P-256 key`,
      () => forge({ typ: 'dpop+jwt', alg, jwk: holder.jwk }),
    ],
  ),
];

/** Makes a text of another, whose signature is no longer good. */
const changed = (change: (proof: string) => string): (() => Promise<string>) => {
  return async () => change(await prove());
};

const formRows: readonly Row[] = [
  ['empty', async () => ''],
  ['a word', async () => 'proof'],
  ['two parts', changed((proof) => proof.split('.').slice(0, 2).join('.'))],
  ['four parts', changed((proof) => `${proof}.AA`)],
  ['a signature less', changed((proof) => `${proof.split('.').slice(0, 2).join('.')}.`)],
  ['another signature', changed((proof) => `${proof.slice(0, -4)}AAAA`)],
  ['padding', changed((proof) => `${proof}=`)],
  ['a line break at the end', changed((proof) => `${proof}\n`)],
  ['a blank before it', changed((proof) => ` ${proof}`)],
  ['two in one header', changed((proof) => `${proof}, ${proof}`)],
  ['9 KiB', () => prove({ claims: { pad: 'x'.repeat(9 * 1024) } })],
  ['the access token', async () => token],
  [
    'a payload that is no object',
    () =>
      new CompactSign(new TextEncoder().encode('[]'))
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: holder.jwk })
        .sign(holder.privateKey),
  ],
  [
    'a repeated member',
    () =>
      new CompactSign(
        new TextEncoder().encode(JSON.stringify(goodClaims()).replace('{', '{"htm":"POST",')),
      )
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: holder.jwk })
        .sign(holder.privateKey),
  ],
  [
    'an HMAC with the public key',
    async () => {
      const text = `${encodeJson({ typ: 'dpop+jwt', alg: 'ES256', jwk: holder.jwk })}.${encodeJson(goodClaims())}`;
      const mac = createHmac('sha256', JSON.stringify(holder.jwk)).update(text);
      return `${text}.${mac.digest('base64url')}`;
    },
  ],
];

const keyRows: readonly Row[] = [
  ['of another key', () => prove({ by: stranger }), 'proof_key_wrong'],
  [
    'with the holder’s key and another’s signature',
    () => prove({ by: { ...stranger, jwk: holder.jwk } }),
  ],
  ['of another kind of key', () => prove({ by: createHolder('PS256') }), 'proof_key_wrong'],
];

describe('a proof is refused', () => {
  const rows = [...claimRows, ...headerRows, ...formRows, ...keyRows];

  it.each(rows.map(([what, make, reason]) => ({ what, make, reason })))('$what', async (row) => {
    const { make, reason = 'proof_invalid' } = row;
    expect(await send(await make())).toBe(reason);
    // The good neighbour: the token and the memory are as before.
    expect(await send(await prove())).toBe('accepted');
  });

  it('is one of 120 and more, of which none is accepted', () => {
    figure('hostile proofs', { rows: rows.length });
    expect(rows.length).toBeGreaterThanOrEqual(120);
  });

  it('without one, and with two', async () => {
    expect(await outcomeOf(`DPoP ${token}`, [])).toBe('proof_missing');
    const two = [await prove(), await prove()];
    expect(await outcomeOf(`DPoP ${token}`, two)).toBe('proof_invalid');
  });

  it('with a weak key, though the token is bound to it', async () => {
    const weak = createHolder('PS256', generateKeyPairSync('rsa', { modulusLength: 1024 }));
    const bound = tokenFor(weak);
    const proof = await forgeRsa(weak, bound);
    expect(await outcomeOf(`DPoP ${bound}`, [proof])).toBe('proof_invalid');
  });

  it('with an algorithm that the API does not accept, by a key that could', async () => {
    world = createWorld({ proofs: { memory, algorithms: ['PS256'] } });
    const by = createHolder('PS256');
    const bound = tokenFor(by);
    const claims = { ath: hashOf(bound) };
    const other = await prove({ by: { ...by, alg: 'RS256' }, claims });
    expect(await outcomeOf(`DPoP ${bound}`, [other])).toBe('proof_invalid');
    expect(await outcomeOf(`DPoP ${bound}`, [await prove({ by, claims })])).toBe('accepted');
  });
});

/** jose refuses to sign with a key of 1,024 bits. */
async function forgeRsa(by: Holder, bound: string): Promise<string> {
  const { constants, sign } = await import('node:crypto');
  const claims = { ...goodClaims(), ath: hashOf(bound) };
  const text = `${encodeJson({ typ: 'dpop+jwt', alg: 'PS256', jwk: by.jwk })}.${encodeJson(claims)}`;
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  const signature = sign('sha256', Buffer.from(text), { key: by.privateKey, padding, saltLength });
  return `${text}.${signature.toString('base64url')}`;
}

describe('a proof is accepted', () => {
  it.each([
    ['with a query', `${url}?page=2`],
    ['with a fragment', `${url}#top`],
    ['with the default port', 'https://api.example.com:443/messages'],
    ['with a host in capitals', 'HTTPS://API.example.com/messages'],
    ['with a letter that needs no encoding', 'https://api.example.com/%6dessages'],
    ['with dots in the path', 'https://api.example.com/a/../messages'],
  ])('for the same URL %s', async (_, htu) => {
    expect(await send(await prove({ claims: { htu } }))).toBe('accepted');
  });

  it.each([now - 70, now - 8, now + 10, now + 0.5])('with iat %d', async (iat) => {
    expect(await send(await prove({ claims: { iat } }))).toBe('accepted');
  });

  it.each([
    ['nbf and exp', { nbf: now, exp: now + 10 }],
    ['a nonce that no one asked for', { nonce: 'a' }],
    ['a long id', { jti: 'x'.repeat(256) }],
  ])('with %s', async (_, claims) => {
    expect(await send(await prove({ claims }))).toBe('accepted');
  });

  it('with members of the key that are not its own', async () => {
    const jwk = { ...holder.jwk, kid: 'a', use: 'sig', alg: 'ES256' };
    expect(await send(await prove({ header: { jwk } }))).toBe('accepted');
  });

  it('under each name of the API, and only those', async () => {
    const urls = ['https://slc.api.example.com/messages', url];
    expect(await send(await prove({ claims: { htu: urls[0] } }), { urls })).toBe('accepted');
    expect(await send(await prove({ claims: { htu: urls[0] } }))).toBe('proof_invalid');
  });
});

describe('a proof is for one request', () => {
  it('also if it is sent with other blanks around the scheme', async () => {
    const proof = await prove();
    expect(await send(proof)).toBe('accepted');
    expect(await send(proof)).toBe('proof_replayed');
    expect(await outcomeOf(`dpop  ${token}`, [proof])).toBe('proof_replayed');
  });

  it('for as long as it could be accepted', async () => {
    const proof = await prove({ claims: { iat: now + 10 } });
    expect(await send(proof)).toBe('accepted');
    world.now = now + 80;
    expect(await send(proof)).toBe('proof_replayed');
    world.now = now + 81;
    expect(await send(proof)).toBe('proof_invalid');
  });

  it('by its key and id: another key may use the same id', async () => {
    const jti = 'the-same';
    const bound = tokenFor(stranger);
    expect(await send(await prove({ claims: { jti } }))).toBe('accepted');
    const other = await prove({ by: stranger, claims: { jti, ath: hashOf(bound) } });
    expect(await outcomeOf(`DPoP ${bound}`, [other])).toBe('accepted');
    expect(await send(await prove({ claims: { jti, iat: now - 1 } }))).toBe('proof_replayed');
  });

  it('and a bad one takes no place', async () => {
    const claims = { jti: 'once' };
    expect(await send(await prove({ by: { ...stranger, jwk: holder.jwk }, claims }))).toBe(
      'proof_invalid',
    );
    expect(await send(await prove({ claims }))).toBe('accepted');
  });
});

describe('the memory of proofs', () => {
  const fill = (jkt: string, from: number, to: number, until: number) =>
    Array.from({ length: to - from }, (_, index) =>
      memory.admit({ jkt, id: String(from + index) }, until, now),
    );

  beforeEach(() => {
    memory = new ProofMemory(undefined, 100);
  });

  it('gives a key a tenth, refuses more, and forgets none that could be used again', () => {
    expect(new Set(fill('greedy', 0, 10, now + 70))).toEqual(new Set(['first']));
    expect(fill('greedy', 10, 11, now + 70)).toEqual(['full']);
    expect(fill('greedy', 0, 1, now + 70)).toEqual(['replayed']);
    expect(fill('polite', 0, 1, now + 70)).toEqual(['first']);
  });

  it('has room again when proofs have ended', () => {
    fill('greedy', 0, 10, now + 70);
    expect(memory.admit({ jkt: 'greedy', id: 'later' }, now + 141, now + 70)).toBe('full');
    expect(memory.admit({ jkt: 'greedy', id: 'later' }, now + 141, now + 71)).toBe('first');
  });

  it('is bounded over all keys', () => {
    for (let key = 0; key < 10; key += 1) fill(`key-${key}`, 0, 10, now + 70);
    expect(fill('one more', 0, 1, now + 70)).toEqual(['full']);
  });

  it('tells the caller of a full part what to do', async () => {
    memory = new ProofMemory(undefined, 10);
    world = createWorld({ proofs: { memory } });
    expect(await send(await prove())).toBe('accepted');
    expect(await send(await prove())).toBe('proof_limit_reached');
  });
});

describe('a nonce', () => {
  const nonces = new ProofNonces(Buffer.alloc(32, 1));

  beforeEach(() => {
    world = createWorld({ proofs: { memory: new ProofMemory(nonces) } });
  });

  it.each([
    ['of this API', nonces.make(now), 'accepted'],
    ['of five minutes ago', nonces.make(now - 300), 'accepted'],
    ['that is older', nonces.make(now - 301), 'proof_nonce_missing'],
    ['of the future', nonces.make(now + 11), 'proof_nonce_missing'],
    ['of another key', new ProofNonces(Buffer.alloc(32, 2)).make(now), 'proof_nonce_missing'],
    ['that is cut', nonces.make(now).slice(0, -2), 'proof_nonce_missing'],
    ['that is longer', `${nonces.make(now)}AA`, 'proof_nonce_missing'],
    ['that is empty', '', 'proof_nonce_missing'],
    ['that is a number', 1, 'proof_nonce_missing'],
    ['that is missing', undefined, 'proof_nonce_missing'],
  ])('%s', async (_, nonce, outcome) => {
    expect(await send(await prove({ claims: { nonce } }))).toBe(outcome);
  });
});
