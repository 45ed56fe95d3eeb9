import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deriveSealedTokenKeys,
  nonceBytes,
  openToken,
  sealToken,
  type TokenChoice,
} from '../../../core/token/sealed-token.ts';
import { secretValueOf } from '../../../lab/support/clients.ts';

const issuer = 'https://auth.example.com';
const choice: TokenChoice = { clientId: 'client_1', scopes: ['a', 'b'], resource: undefined };
const place = deriveSealedTokenKeys(choice, secretValueOf(1), issuer);
const nonce = new Uint8Array(nonceBytes).fill(7);
const content = {
  issuedAt: 1_800_000_000,
  jti: '0123456789ABCDEFGHIJKL',
  signature: new Uint8Array(256).fill(3),
};
const sealed = Buffer.from(sealToken(place, content, 'context', nonce));

describe('a sealed token', () => {
  it('opens in its own place and context', () => {
    expect(openToken(place, sealed, 'context')).toEqual({
      ...content,
      signature: Buffer.from(content.signature),
    });
  });

  interface Other {
    readonly choice?: Partial<TokenChoice>;
    readonly secret?: string;
    readonly from?: string;
  }
  const others: readonly (readonly [string, Other])[] = [
    ['another client', { choice: { clientId: 'client_2' } }],
    ['fewer scopes', { choice: { scopes: ['a'] } }],
    ['scopes in another order', { choice: { scopes: ['b', 'a'] } }],
    ['no scopes', { choice: { scopes: undefined } }],
    ['scopes that read alike', { choice: { scopes: ['a b'] } }],
    ['a resource', { choice: { resource: 'https://api.example.com' } }],
    ['another secret', { secret: secretValueOf(2) }],
    ['another issuer', { from: 'https://other.example.com' }],
  ];
  it.each(others)('lies in another place for %s, and does not open there', (_, other) => {
    const { choice: different, secret = secretValueOf(1), from = issuer } = other;
    const elsewhere = deriveSealedTokenKeys({ ...choice, ...different }, secret, from);
    expect(elsewhere.itemId).not.toBe(place.itemId);
    expect(openToken(elsewhere, sealed, 'context')).toBeUndefined();
    expect(openToken({ ...place, itemId: elsewhere.itemId }, sealed, 'context')).toBeUndefined();
  });

  it('does not open in another context', () => {
    expect(openToken(place, sealed, 'contexts')).toBeUndefined();
    expect(openToken({ ...place, itemId: `${place.itemId}c` }, sealed, 'ontext')).toBeUndefined();
  });

  it('does not open if any of its bits is another', () => {
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openToken(place, changed, 'context')).toBeUndefined();
    }
  });

  it('does not open if it ends early, or late', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      expect(openToken(place, sealed.subarray(0, length), 'context')).toBeUndefined();
    }
    expect(openToken(place, Buffer.concat([sealed, sealed]), 'context')).toBeUndefined();
  });

  it('is never what someone made without the keys', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(openToken(place, bytes, 'context')).toBeUndefined();
      }),
    );
  });
});

describe('a reader of the table', () => {
  it('sees no byte of the token, of the request or of the keys', () => {
    const shown = Buffer.concat([Buffer.from(place.itemId), sealed]).toString('latin1');
    for (const hidden of [content.jti, 'client_1', secretValueOf(1), 'context']) {
      expect(shown).not.toContain(hidden);
    }
    expect(shown).not.toContain(Buffer.from(content.signature).toString('latin1', 0, 8));
    expect(shown).not.toContain(Buffer.from(place.sealingKey).toString('latin1', 0, 8));
  });

  it('sees other bytes for the same token with another nonce', () => {
    const again = sealToken(place, content, 'context', new Uint8Array(nonceBytes).fill(8));
    expect(Buffer.from(again).equals(sealed)).toBe(false);
    expect(openToken(place, again, 'context')?.jti).toBe(content.jti);
  });
});
