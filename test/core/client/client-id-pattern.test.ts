import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxClientPatternLookups } from '../../../contract/bounds.ts';
import { findPatternProblem, patternsOf } from '../../../core/client/provider-client-id.ts';

describe('the patterns that could match an id', () => {
  it.each<[string, readonly string[]]>([
    [
      'repo:acme/app:ref:refs/heads/feature/login',
      [
        'repo:acme/app:ref:refs/heads/feature/*',
        'repo:acme/app:ref:refs/heads/*',
        'repo:acme/app:ref:refs/*',
        'repo:acme/app:ref:*',
      ],
    ],
    ['repo:acme/app:pull_request', ['repo:acme/app:*']],
    ['system:serviceaccount:voice:dialer', ['system:serviceaccount:voice:*']],
    [
      'spiffe://example.org/ns/voice/sa/dialer',
      [
        'spiffe://example.org/ns/voice/sa/*',
        'spiffe://example.org/ns/voice/*',
        'spiffe://example.org/ns/*',
      ],
    ],
    ['repo:acme/app', []],
    ['erp', []],
    ['a/b/c/', []],
    ['', []],
  ])('of %j are bounded, the most specific first', (id, patterns) => {
    expect(patternsOf(id)).toEqual(patterns);
  });

  it('are a bounded number for any id, and each is a prefix whose rest has no colon', () => {
    const part = fc.constantFrom('a', ':', '/', '*', 'refs', 'x:y');
    const id = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(id, (text) => {
        const patterns = patternsOf(text);
        expect(patterns.length).toBeLessThanOrEqual(maxClientPatternLookups);
        for (const pattern of patterns) {
          const prefix = pattern.slice(0, -1);
          expect(text.startsWith(prefix)).toBe(true);
          const rest = text.slice(prefix.length);
          expect(rest).not.toBe('');
          expect(rest).not.toContain(':');
          // What is looked up can be registered, unless the id itself has a wildcard.
          if (!prefix.includes('*')) expect(findPatternProblem(pattern)).toBeUndefined();
        }
      }),
    );
  });
});

describe('a pattern', () => {
  it.each([
    'repo:acme/app:ref:refs/heads/*',
    'repo:acme/app:environment:*',
    'project_path:acme/app:ref_type:branch:ref:*',
    'system:serviceaccount:voice:*',
    'spiffe://example.org/ns/voice/*',
    'arn:aws:sts::123456789012:assumed-role/Dialer/*',
    'organization:acme:project:voice:workspace:prod:run_phase:*',
  ])('can be %j', (pattern) => {
    expect(findPatternProblem(pattern)).toBeUndefined();
  });

  it.each([
    ['*', 'a "/" or ":" before'],
    ['repo:*', 'not so broad'],
    ['repo:acme/*', 'not so broad'],
    ['system:serviceaccount:*', 'not so broad'],
    ['spiffe://*', 'not so broad'],
    ['spiffe://example.org/*', 'not so broad'],
    ['project_path:acme/*', 'not so broad'],
    ['https://::///*', 'not so broad'],
    ['repo:acme/app*', 'a "/" or ":" before'],
    ['repo:acme/*:ref:refs/heads/main', 'one "*", at the end'],
    ['repo:acme/*:ref:*', 'one "*", at the end'],
    ['repo:acme/app:ref:**', 'one "*", at the end'],
    ['repo:acme/app:ref:refs/heads/a/b/c/*', 'among the first 4'],
  ])('cannot be %j', (pattern, problem) => {
    expect(findPatternProblem(pattern)).toContain(problem);
  });
});
