import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regionIds } from '../../../contract/regions.ts';
import { selectSigningKeys } from '../../../core/signing-key/select-signing-key.ts';
import { signingKeyStates } from '../../../core/signing-key/signing-key.ts';
import { makeSigningKey } from '../../support/signing-keys.ts';

const { key: template } = makeSigningKey('ES256');
const lead = 1_000;
const need = { regionId: 'slc', now: 10_000, expiresAt: 13_600, publicationLead: lead } as const;

function key(kid: string, overrides: Partial<typeof template>) {
  return { ...template, kid, ...overrides };
}

function select(...keys: readonly (typeof template)[]) {
  return selectSigningKeys(keys, need).map(({ kid }) => kid);
}

describe('keys that may sign', () => {
  it('are the current one first, then an eligible next one, then the previous one', () => {
    expect(
      select(
        key('previous', { state: 'previous', withdrawAt: 13_600 }),
        key('next', { state: 'next', publishedAt: 9_000, activatedAt: undefined }),
        key('current', { state: 'current' }),
      ),
    ).toEqual(['current', 'next', 'previous']);
  });

  it('are never those that verifiers may not know yet', () => {
    expect(select(key('young', { state: 'next', publishedAt: 9_001 }))).toEqual([]);
  });

  it('are never those that are withdrawn before the token expires', () => {
    expect(select(key('old', { state: 'previous', withdrawAt: 13_599 }))).toEqual([]);
  });

  it('are never those of another region', () => {
    expect(select(key('foreign', { state: 'current', regionId: 'dfw' }))).toEqual([]);
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
      publishedAt: fc.integer({ min: 8_000, max: 10_000 }),
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
          if (state === 'previous') expect(withdrawAt ?? Infinity).toBeGreaterThanOrEqual(13_600);
        }
      }),
    );
  });
});
