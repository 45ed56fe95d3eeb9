import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { CompactSign, SignJWT } from 'jose';
import type { ProofAlg } from '../../contract/proof-algorithms.ts';
import type { RefusalReason } from '../../core/verifier/bearer-refusal.ts';
import { encodeJson } from '../../lab/support/test-issuer.ts';

export interface Holder {
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

export function createHolder(alg: ProofAlg, pair = pairs[pairOf[alg]]()): Holder {
  const jwk = pair.publicKey.export({ format: 'jwk' });
  const privateJwk = pair.privateKey.export({ format: 'jwk' });
  return { alg, privateKey: pair.privateKey, jwk, privateJwk, jkt: thumbprintOf(jwk) };
}

export const holder = createHolder('ES256');
export const stranger = createHolder('ES256');
/** What the rows are about, without query. */
export const url = 'https://api.example.com/messages';
/** JSON of which no text and no number can be made. */
export const noText = { toString: 1, valueOf: 1 };

export type Row = readonly [what: string, make: () => Promise<string>, reason?: RefusalReason];

interface Changes {
  readonly claims?: object;
  readonly header?: object;
  readonly by?: Holder;
}

/** Makes good and bad proofs of requests with a method, which all have `more` as claims. */
export function createProver(method: string, now: number, more: () => object = () => ({})) {
  let count = 0;
  const goodClaims = () => ({
    htm: method,
    htu: url,
    iat: now,
    jti: `proof-${++count}`,
    ...more(),
  });

  /** A proof by jose, with parts of it replaced; `undefined` removes one. */
  function prove({ claims = {}, header = {}, by = holder }: Changes = {}): Promise<string> {
    const protectedHeader = { typ: 'dpop+jwt', alg: by.alg, jwk: by.jwk, ...header };
    return new SignJWT({ ...goodClaims(), ...claims })
      .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
      .sign(by.privateKey);
  }

  /** For headers that jose refuses to write: the signature is that of the text all the same. */
  async function forge(header: object, claims: object = goodClaims()): Promise<string> {
    const text = `${encodeJson(header)}.${encodeJson(claims)}`;
    const key = { key: holder.privateKey, dsaEncoding: 'ieee-p1363' as const };
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  const claimRows: readonly Row[] = [
    ...['htm', 'htu', 'iat', 'nbf', 'exp', 'jti'].map(
      (name): Row => [`${name} that is no text`, () => prove({ claims: { [name]: noText } })],
    ),
    ...[null, '', 1, true, [], {}, [method], method.toLowerCase(), ` ${method}`, 'PUT'].map(
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
      now - 70.5,
    ].map((iat): Row => [`iat ${JSON.stringify(iat)}`, () => prove({ claims: { iat } })]),
    ...[now + 60.5, now + 61, now + 3600, now * 1000, 1e300].flatMap((time): readonly Row[] => [
      [`iat ${time}`, () => prove({ claims: { iat: time } }), 'proof_not_yet_valid'],
      [`nbf ${time}`, () => prove({ claims: { nbf: time } }), 'proof_not_yet_valid'],
    ]),
    ...[null, String(now), true, [now], {}].flatMap((time): readonly Row[] => [
      [`nbf ${JSON.stringify(time)}`, () => prove({ claims: { nbf: time } })],
      [`exp ${JSON.stringify(time)}`, () => prove({ claims: { exp: time } })],
    ]),
    ...[0, -now, now - 300, now - 10].map(
      (exp): Row => [`exp ${exp}`, () => prove({ claims: { exp } })],
    ),
    ...[undefined, null, '', 1, true, [], {}, 'x'.repeat(257)].map(
      (jti): Row => [`jti ${JSON.stringify(jti)?.slice(0, 20)}`, () => prove({ claims: { jti } })],
    ),
  ];

  const headerRows: readonly Row[] = [
    ...['typ', 'alg', 'jwk', 'crit'].map(
      (name): Row => [
        `${name} that is no text`,
        () => forge({ typ: 'dpop+jwt', alg: 'ES256', jwk: holder.jwk, [name]: noText }),
      ],
    ),
    ...[undefined, '', 'JWT', 'at+jwt', 'dpop', 'application/jwt', 'dpop+jwt ', 'jwt+dpop'].map(
      (typ): Row => [`typ ${String(typ)}`, () => prove({ header: { typ } })],
    ),
    ...[
      undefined,
      null,
      '',
      1,
      [],
      {},
      'key',
      { kty: 'EC' },
      { ...holder.jwk, x: undefined },
      ...[['EC'], noText, ...Object.getOwnPropertyNames(Object.prototype)].map((kty) => ({
        ...holder.jwk,
        kty,
      })),
    ].map(
      (jwk): Row => [
        `jwk ${JSON.stringify(jwk)?.slice(0, 30)}`,
        () => forge({ typ: 'dpop+jwt', alg: 'ES256', jwk }),
      ],
    ),
    ['a private key', () => prove({ header: { jwk: holder.privateJwk } })],
    ['a private member', () => prove({ header: { jwk: { ...holder.jwk, d: 'AA' } } })],
    [
      'a symmetric key',
      () => forge({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } }),
    ],
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
    [
      'with the holder’s key and another’s signature',
      () => prove({ by: { ...stranger, jwk: holder.jwk } }),
    ],
  ];

  /** None of these is accepted anywhere. */
  const rows = [...claimRows, ...headerRows, ...formRows];
  return { prove, goodClaims, rows };
}
