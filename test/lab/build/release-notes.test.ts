import { describe, expect, it } from 'vitest';
import { readReleaseNotes } from '../../../lab/build/release-notes.ts';

const changelog = `# Changelog

## Unreleased

- Later.

## 0.3.0 - 2027-01-02

### Added

- A thing.

## 0.2.0 - 2026-11-23

- The first.
`;

describe('the page of a release', () => {
  it('has the section of its version, and no other', () => {
    expect(readReleaseNotes(changelog, '0.3.0')).toBe('### Added\n\n- A thing.');
  });

  it.each(['0.3', '0.3.1', 'Unreleased', ''])('is refused for %j', (version) => {
    expect(() => readReleaseNotes(changelog, version)).toThrow(
      `CHANGELOG.md: no section "## ${version} - DATE"; a release needs one`,
    );
  });
});
