import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyAlarms } from '../../contract/alarms.ts';
import { root } from '../architecture/source-files.ts';

describe('the alarms on signing keys', () => {
  it.each(keyAlarms)('$id has a page that says what to do', ({ id, runbook }) => {
    const path = join(root, runbook);
    expect(existsSync(path)).toBe(true);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(new RegExp(`^# ${id}\n`));
    for (const part of ['What it means', 'Where to look', 'What to do']) {
      expect(text).toContain(`**${part}.**`);
    }
  });

  it('have ids that are told apart', () => {
    const ids = keyAlarms.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
