import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regionIds } from '../../../contract/regions.ts';
import { signingKeyStates } from '../../../contract/tables.ts';
import {
  chooseSigningKeys,
  selectSigningKeys,
} from '../../../core/signing-key/select-signing-key.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';

const { key: template } = makeSigningKey('ES256');
const lead = 1_000;
const need = {
  regionId: 'slc',
  now: 10_000,
  expiresAt: 13_600,
  publicationLead: lead,
  leeway: 60,
} as const;

function key(kid: string, overrides: Partial<typeof template>) {
  return { ...template, kid, ...overrides };
}

function select(...keys: readonly (typeof template)[]) {
  return selectSigningKeys(keys, need).map(({ kid }) => kid);
}

const current = key('current', { state: 'current' });
const next = key('next', { state: 'next', provedAt: 9_000, activatedAt: undefined });
const previous = key('previous', { state: 'previous', withdrawAt: 13_660 });

describe('keys that may sign', () => {
  it('are the current one first, then an eligible next one, then the previous one', () => {
    expect(select(previous, next, current)).toEqual(['current', 'next', 'previous']);
  });

  it.each([
    ['a next key before its lead is over', { ...next, provedAt: 9_001 }],
    ['a next key that is not proved', { ...next, provedAt: undefined, publishedAt: 0 }],
    ['a previous key that leaves before the token expires', { ...previous, withdrawAt: 13_659 }],
    [
      'a previous key that never signed and was never proved',
      { ...previous, activatedAt: undefined },
    ],
    [
      'a previous key that never signed and was retired before its lead was over',
      { ...previous, activatedAt: undefined, provedAt: 9_001 },
    ],
  ])('are without %s', (_, other) => {
    expect(select(current, other)).toEqual(['current']);
  });

  it('are chosen of the list for the lifetime of the token', async () => {
    const list = async () => [current, previous];
    const chosen = async (exp: number) => {
      const keys = await chooseSigningKeys(list, need, { iat: need.now, exp });
      return keys.map(({ kid }) => kid);
    };
    expect(await chosen(need.expiresAt)).toEqual(['current', 'previous']);
    expect(await chosen(need.expiresAt + 1)).toEqual(['current']);
  });

  it('may be a previous key that never signed, if its lead is over', () => {
    const retired = { ...previous, activatedAt: undefined, provedAt: 9_000 };
    expect(select(current, retired)).toEqual(['current', 'previous']);
  });

  it('do not exist in a region that has never signed, even if a key is eligible', () => {
    expect(select(next)).toEqual([]);
    expect(select(next, { ...current, regionId: 'dfw' })).toEqual([]);
  });

  it('begin with the latest of two current ones', () => {
    expect(
      select(
        key('a', { activatedAt: 1 }),
        key('b', { activatedAt: 2 }),
        key('c', { activatedAt: 2 }),
      ),
    ).toEqual(['b', 'c', 'a']);
  });

  it('are published, of the region, and do not depend on the order of the list', () => {
    const anyKey = fc.record({
      kid: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      state: fc.constantFrom(...signingKeyStates),
      regionId: fc.constantFrom(...regionIds),
      provedAt: fc.option(fc.integer({ min: 8_000, max: 10_000 }), { nil: undefined }),
      activatedAt: fc.option(fc.integer({ min: 8_000, max: 10_000 }), { nil: undefined }),
      withdrawAt: fc.option(fc.integer({ min: 9_000, max: 20_000 }), { nil: undefined }),
    });
    const keyList = fc.uniqueArray(anyKey, { selector: ({ kid }) => kid });
    fc.assert(
      fc.property(keyList, (parts) => {
        const keys = parts.map((part) => ({ ...template, ...part }));
        const chosen = selectSigningKeys(keys, need);
        expect(selectSigningKeys(keys.toReversed(), need)).toEqual(chosen);
        for (const { state, regionId, withdrawAt } of chosen) {
          expect(['next', 'current', 'previous']).toContain(state);
          expect(regionId).toBe('slc');
          if (state === 'previous') expect(withdrawAt ?? Infinity).toBeGreaterThanOrEqual(13_660);
        }
      }),
    );
  });
});
