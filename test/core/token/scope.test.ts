import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxScopeBytes } from '../../../contract/bounds.ts';
import { selectScopes } from '../../../core/token/access-token-claims.ts';
import { parseScope } from '../../../core/token/token-parameters.ts';
import { refusal } from '../../support/refusal.ts';

const scopeCharacters = Array.from({ length: 0x7f - 0x21 }, (_, index) =>
  String.fromCharCode(0x21 + index),
).filter((character) => character !== '"' && character !== '\\');

const token = fc.string({
  unit: fc.constantFrom(...scopeCharacters),
  minLength: 1,
  maxLength: Math.floor(maxScopeBytes / 20) - 1,
});

describe('scope parameter', () => {
  it('reads back every list of scope tokens of RFC 6749 §3.3', () => {
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 20 }), (tokens) => {
        expect(parseScope(tokens.join(' '))).toEqual(tokens);
      }),
    );
  });

  it('refuses any text with a character that is not allowed', () => {
    const foreign = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((character) => character !== ' ' && !scopeCharacters.includes(character));
    fc.assert(
      fc.property(token, foreign, token, (before, bad, after) => {
        expect(refusal(() => parseScope(before + bad + after))).toBe('scope_syntax');
      }),
    );
  });

  it.each([
    'a"b',
    'a\\b',
    'a\tb',
    'a  b',
    ' a',
    'a  ',
    'a b\t',
    'a b\n',
    ' a ',
    ' ',
    '  ',
    'é',
    'a\u0000',
    'a\r\nb',
    'x'.repeat(maxScopeBytes + 1),
    'a '.repeat(maxScopeBytes),
  ])('refuses %j', (value) => {
    expect(refusal(() => parseScope(value))).toBe('scope_syntax');
  });

  it.each([
    ['a ', ['a']],
    ['a b ', ['a', 'b']],
  ])('ignores one space at the end of %j', (value, scopes) => {
    expect(parseScope(value)).toEqual(scopes);
  });

  it('is undefined if there is none', () => {
    expect(parseScope(undefined)).toBeUndefined();
  });
});

describe('granted scopes', () => {
  const allowed = ['a', 'b', 'c'];

  it.each([
    [undefined, ['a', 'b', 'c']],
    [['a'], ['a']],
    [
      ['c', 'a'],
      ['a', 'c'],
    ],
    [
      ['a', 'c'],
      ['a', 'c'],
    ],
    [['b', 'b'], ['b']],
  ])('%j of a, b and c gives %j', (requested, granted) => {
    expect(selectScopes(requested, allowed)).toEqual(granted);
  });

  it.each([
    [['d'], allowed, 'scope_not_granted'],
    [['a', 'd'], allowed, 'scope_not_granted'],
    [['A'], allowed, 'scope_not_granted'],
    [['ab'], ['abc'], 'scope_not_granted'],
    [['constructor'], allowed, 'scope_not_granted'],
    [undefined, [], 'client_without_scopes'],
    [['a'], [], 'client_without_scopes'],
  ])('%j of %j is refused', (requested, all, reason) => {
    expect(refusal(() => selectScopes(requested, all))).toBe(reason);
  });

  it.each([
    [['openid'], allowed, ['a', 'b', 'c']],
    [['openid', 'b', 'offline_access'], allowed, ['b']],
    [undefined, allowed, ['a', 'b', 'c']],
    // A scope that left the catalogue but not the client is never dropped without a word.
    [['openid'], ['a', 'openid'], ['openid']],
  ])('%j of %j gives %j if openid and offline_access are ignored', (requested, all, granted) => {
    expect(selectScopes(requested, all, ['openid', 'offline_access'])).toEqual(granted);
  });

  it.each([
    [['openid', 'd'], allowed, 'scope_not_granted'],
    [['OpenID'], allowed, 'scope_not_granted'],
    [['openid'], [], 'client_without_scopes'],
  ])('%j of %j is refused if openid is ignored', (requested, all, reason) => {
    expect(refusal(() => selectScopes(requested, all, ['openid']))).toBe(reason);
  });

  it('never exceeds what the client may have nor what was asked for', () => {
    const some = fc.array(fc.constantFrom<string>('a', 'b', 'c', 'd'), { minLength: 1 });
    fc.assert(
      fc.property(some, some, (requested, all) => {
        let granted: readonly string[] = [];
        if (refusal(() => (granted = selectScopes(requested, all))) !== undefined) return;
        expect(new Set(granted)).toEqual(new Set(requested));
        expect(granted.every((scope) => all.includes(scope))).toBe(true);
      }),
    );
  });
});
