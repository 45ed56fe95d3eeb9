import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxJsonDepth, maxTokenBytes } from '../../../contract/bounds.ts';
import { BearerRefusal } from '../../../core/verifier/bearer-refusal.ts';
import { decodeUnverifiedJws } from '../../../core/verifier/compact-jws.ts';
import { parseJsonObject } from '../../../core/verifier/json-object.ts';
import { cpuCost } from '../../../lab/support/cpu-cost.ts';
import { encodeJson, signParts, signToken } from '../../../lab/support/test-issuer.ts';
import {
  createWorld,
  ownClaims,
  ownEcKey,
  reasonOf,
  refusalOf,
} from '../../../lab/support/verifier-world.ts';

const world = createWorld();
const good = signToken(ownEcKey, ownClaims);
const [header = '', payload = '', signature = ''] = good.split('.');
const text = (value: string) => Buffer.from(value).toString('base64url');
const json = JSON.stringify(ownClaims);
const head = JSON.stringify({ alg: 'ES256', kid: ownEcKey.kid, typ: 'at+jwt' });

/** The same last byte, written with stray bits that a lenient decoder drops. */
function withStrayBits(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(part.at(-1) ?? '');
  return part.slice(0, -1) + alphabet.charAt(last + 1);
}

describe('the form of a compact JWS', () => {
  const malformed: readonly [string, string][] = [
    ['one part', header],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${good}.${signature}`],
    ['five parts, as a JWE has', `${good}.${signature}.${signature}`],
    ['a trailing dot', `${good}.`],
    ['a leading dot', `.${good}`],
    ['dots alone', '..'],
    ['an empty header', `.${payload}.${signature}`],
    ['an empty payload', `${header}..${signature}`],
    ['padding in the payload', `${header}.${text(`${json} `)}=.${signature}`],
    ['padding at the end', `${good}==`],
    ['the other alphabet', `${header}.${payload.slice(0, -4)}+/+/.${signature}`],
    ['stray bits in the signature', `${header}.${payload}.${withStrayBits(signature)}`],
    ['a header that is no JSON', signParts(ownEcKey, text('{'), payload)],
    ['a header that is an array', signParts(ownEcKey, text('[]'), payload)],
    ['a header that is null', signParts(ownEcKey, text('null'), payload)],
    ['a payload that is an array', signParts(ownEcKey, header, text(`[${json}]`))],
    ['a payload that is a string', signParts(ownEcKey, header, text(JSON.stringify(json)))],
    ['a payload that is null', signParts(ownEcKey, header, text('null'))],
    ['JSON with a comment', signParts(ownEcKey, header, text(`${json}//`))],
    ['JSON after a byte order mark', signParts(ownEcKey, header, text(`\uFEFF${json}`))],
    [
      'bytes that are no UTF-8',
      signParts(ownEcKey, header, Buffer.from('{"a":"\xff"}', 'latin1').toString('base64url')),
    ],
    [
      'JSON that is too deep',
      signParts(ownEcKey, header, text(`{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`)),
    ],
  ];

  it.each(malformed)('is refused: %s', async (_, token) => {
    expect(() => decodeUnverifiedJws(token)).toThrow(BearerRefusal);
    const refusal = await refusalOf(world.verify(`Bearer ${token}`));
    // Padding inside of a credential is already no b64token (RFC 6750 §2.1).
    expect(['token_malformed', 'authorization_malformed']).toContain(refusal.reason);
  });

  it.each(['ES256 JSON serialization', ' ', '\t', '\r\n', '\u00a0'])(
    'is refused with %j in it',
    async (extra) => {
      const token = `${header}.${payload}${extra}.${signature}`;
      expect(() => decodeUnverifiedJws(token)).toThrow(BearerRefusal);
      expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('authorization_malformed');
    },
  );

  it('is refused as JSON serialization (RFC 7515 §7.2)', async () => {
    const token = JSON.stringify({ protected: header, payload, signature });
    expect(() => decodeUnverifiedJws(token)).toThrow(BearerRefusal);
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('authorization_malformed');
  });

  const repeated: readonly [string, string, string][] = [
    ['alg', head.replace('{', '{"alg":"none",'), json],
    ['alg, after', head.replace(/}$/, ',"alg":"none"}'), json],
    ['kid, with the same value', head.replace('{', `{"kid":"${ownEcKey.kid}",`), json],
    ['alg, written with an escape', head.replace('{', '{"\\u0061lg":"none",'), json],
    ['iss', head, json.replace('{', '{"iss":"https://evil.example",')],
    ['aud', head, json.replace('{', '{"aud":"https://evil.example",')],
    ['exp', head, json.replace('{', '{"exp":1,')],
    ['a member of an inner object', head, json.replace('{', '{"x":{"y":[{"z":1,"z":1}]},')],
    ['__proto__', head, json.replace('{', '{"__proto__":1,"__proto__":2,')],
  ];

  it.each(repeated)('is refused with a repeated member: %s', async (_, first, second) => {
    const token = signParts(ownEcKey, text(first), text(second));
    expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_malformed');
  });

  const long: readonly [string, string][] = [
    ['100 KiB of payload', `${header}.${'A'.repeat(100 * 1024)}.${signature}`],
    ['100 KiB of signature', `${header}.${payload}.${'A'.repeat(100 * 1024)}`],
    ['10^5 dots', '.'.repeat(100_000)],
    ['10^5 dots after a token', good + '.'.repeat(100_000)],
    ['one character too many', 'A'.repeat(maxTokenBytes + 1)],
    ['100 KiB of spaces', `${' '.repeat(100 * 1024)}${good}`],
  ];

  it.each(long)('is refused by its length, before anything else: %s', async (_, token) => {
    const cost = await cpuCost(async () => {
      expect(await reasonOf(world.verify(`Bearer ${token}`))).toBe('token_too_long');
    });
    // Units of about a millisecond.
    expect(cost).toBeLessThan(50);
  });

  it('may be as long as the limit', () => {
    const filler = 'x'.repeat(6000);
    const token = signToken(ownEcKey, { ...ownClaims, filler });
    expect(decodeUnverifiedJws(token).payload).toMatchObject({ filler });
  });
});

describe('the parsers', () => {
  it('throw nothing but refusals, for any string', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.base64String(), { maxLength: 6 }).map((parts) => parts.join('.')),
      fc
        .tuple(fc.uint8Array(), fc.uint8Array(), fc.uint8Array())
        .map((parts) => parts.map((part) => Buffer.from(part).toString('base64url')).join('.')),
      fc.tuple(fc.json(), fc.json()).map((parts) => `${parts.map(text).join('.')}.AA`),
    );
    fc.assert(
      fc.property(anything, (token) => {
        try {
          decodeUnverifiedJws(token);
        } catch (error) {
          expect(error).toBeInstanceOf(BearerRefusal);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('never accept what was not signed, for any change to a token', async () => {
    const changed = fc
      .tuple(fc.nat(good.length - 1), fc.string({ minLength: 0, maxLength: 3 }), fc.nat(3))
      .map(([at, extra, cut]) => good.slice(0, at) + extra + good.slice(at + cut))
      .filter((token) => token.trim() !== good);
    await fc.assert(
      fc.asyncProperty(changed, async (token) => {
        await refusalOf(world.verify(`Bearer ${token}`));
      }),
      { numRuns: 1000 },
    );
  });

  it('refuse any header and claims of other values, and never fail otherwise', async () => {
    const object = fc.dictionary(
      fc.constantFrom('alg', 'kid', 'typ', 'crit', 'iss', 'aud', 'exp', 'nbf', 'iat', 'sub', 'azp'),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(object, object, async (first, second) => {
        const token = signParts(
          ownEcKey,
          encodeJson({ alg: 'ES256', kid: ownEcKey.kid, typ: 'at+jwt', ...first }),
          encodeJson({ ...ownClaims, exp: 'none', ...second }),
        );
        await world.verify(`Bearer ${token}`).catch((error: unknown) => {
          expect(error).toBeInstanceOf(BearerRefusal);
        });
      }),
      { numRuns: 1000 },
    );
  });

  it('read every JSON object that has no repeated member as JSON.parse does', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(objects, fc.nat(2), (object, indent) => {
        const written = JSON.stringify(object, undefined, indent);
        expect(parseJsonObject(written)).toEqual(JSON.parse(written));
      }),
    );
  });

  it('take JSON as deep as the limit, and no deeper', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(parseJsonObject(nested(maxJsonDepth))).toBeDefined();
    expect(parseJsonObject(nested(maxJsonDepth + 1))).toBeUndefined();
  });
});
