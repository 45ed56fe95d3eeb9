import { describe, expect, it } from 'vitest';
import { readReleaseNotes } from '../../../lab/build/release-notes.ts';

const changelog = `# Changelog

## Unreleased

- Later.

## 1.1.0 - 2027-01-02

### Added

- A thing.

## 1.0.0 - 2026-12-23

- The first.
`;

describe('the page of a release', () => {
  it('has the section of its version, and no other', () => {
    expect(readReleaseNotes(changelog, '1.1.0')).toBe('### Added\n\n- A thing.');
  });

  it.each(['1.1', '1.1.1', 'Unreleased', ''])('is refused for %j', (version) => {
    expect(() => readReleaseNotes(changelog, version)).toThrow(
      `CHANGELOG.md: no section "## ${version} - DATE"; a release needs one`,
    );
  });
});
