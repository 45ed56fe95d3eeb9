import { describe, expect, it } from 'vitest';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';
import { createJwksDocuments } from '../../../lambda/jwks/function.ts';

const now = 1_800_000_000;
const current = makeSigningKey('ES256').key;
const previous = makeSigningKey('ES256', { state: 'previous', withdrawAt: now + 100 }).key;
const both = [current, previous];

function kidsOf({ body }: { readonly body: string }): readonly string[] {
  return (JSON.parse(body) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

describe('the JWKS of a list of keys', () => {
  it('is made once', () => {
    const documentOf = createJwksDocuments(300);
    expect(documentOf(both, now + 99)).toBe(documentOf(both, now + 99));
  });

  it('loses a key in the second in which it is to leave', () => {
    const documentOf = createJwksDocuments(300);
    expect(kidsOf(documentOf(both, now + 99))).toContain(previous.kid);
    expect(kidsOf(documentOf(both, now + 100))).toEqual([current.kid]);
    expect(documentOf(both, now + 100)).toBe(documentOf(both, now + 500));
  });

  it('has it again when the clock went back', () => {
    const documentOf = createJwksDocuments(300);
    documentOf(both, now + 100);
    expect(kidsOf(documentOf(both, now))).toContain(previous.kid);
  });
});
