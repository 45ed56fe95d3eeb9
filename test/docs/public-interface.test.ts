import { describe, expect, it } from 'vitest';
import { readInterface, root } from '../../lab/tools/public-interface/files.ts';
import { publicInterface } from '../../lab/tools/public-interface/public-interface.ts';
import {
  compareInterfaces,
  findProblems,
  lowestVersion,
} from '../../lab/tools/public-interface/rule.ts';

describe('docs/public-interface.txt', () => {
  const lines = publicInterface(root);

  it('is what the code has; if not, run "node lab/tools/public-interface/main.ts"', () => {
    expect(compareInterfaces(readInterface(), lines)).toEqual({ removed: [], added: [] });
  });

  it.each(['alarm', 'claim', 'command', 'config', 'export', 'item', 'json', 'metric', 'route'])(
    'has lines of the kind %s',
    (kind) => {
      expect(lines.filter((line) => line.startsWith(`${kind} `)).length).toBeGreaterThan(5);
    },
  );
});

describe('a change of the public interface', () => {
  const line = 'config portal.domain';
  const found = { before: '0.4.2', version: '0.4.2', linesBefore: [line], lines: [line] };
  const problems = (change: Partial<Parameters<typeof findProblems>[0]>) =>
    findProblems({ ...found, changelog: '', ...change });

  it('needs nothing if there is none', () => {
    expect(problems({})).toEqual([]);
  });

  it.each([
    ['0.4.2', '0.5.0', '0.4.3'],
    ['1.4.2', '2.0.0', '1.5.0'],
  ])('after %s needs %s if something is gone, and %s if it is new', (before, gone, added) => {
    expect(lowestVersion(before, { removed: [line], added: [] })).toBe(gone);
    expect(lowestVersion(before, { removed: [], added: [line] })).toBe(added);
    expect(lowestVersion(before, { removed: [line], added: [line] })).toBe(gone);
  });

  it('is refused without a version and a name in the changelog', () => {
    expect(
      problems({ lines: [], version: '0.4.3', changelog: 'The portal.domain has gone.' }),
    ).toEqual([
      'package.json: received 0.4.3; allowed after 0.4.2: 0.5.0 or higher',
      'CHANGELOG.md has to name `portal.domain`: it is gone (config portal.domain)',
    ]);
    expect(problems({ lines: [line, 'metric Reads'], version: '0.4.3' })).toEqual([
      'CHANGELOG.md has to name `Reads`: it is new (metric Reads)',
    ]);
  });

  it('is allowed with both', () => {
    expect(
      problems({ lines: [], version: '0.5.0', changelog: 'Without `portal.domain`.' }),
    ).toEqual([]);
    const added = { lines: [line, 'metric Reads'], changelog: 'The metric `Reads`.' };
    expect(problems({ ...added, version: '0.4.3' })).toEqual([]);
  });

  it('is named by a key above it, or its group, if these change as a whole', () => {
    const version = '0.5.0';
    const key = [line, 'config portal', 'config portal.look'];
    expect(problems({ version, linesBefore: [], lines: key, changelog: '`portal`' })).toEqual([]);
    const more = { version, lines: key, linesBefore: ['config portal'], changelog: '`portal`' };
    expect(problems(more)).toHaveLength(2);
    const item = ['item limits scopes'];
    expect(problems({ version, linesBefore: [], lines: item, changelog: '`limits`' })).toEqual([]);
    const other = { linesBefore: ['item limits id'], lines: [...item, 'item limits id'] };
    expect(problems({ version, ...other, changelog: '`limits`' })).toHaveLength(1);
  });
});
