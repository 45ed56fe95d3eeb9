import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGroup } from '../../../lab/bench/slow-machine.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slow-machine-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the control group of a slow machine', () => {
  // 512 of 1,769 MB of 20,000 µs.
  it('has its share by the files of version 1', () => {
    mkdirSync(join(root, 'cpu'));
    writeFileSync(join(root, 'cpu/cpu.cfs_quota_us'), '-1');
    const group = relative(root, createGroup(root));
    expect(group).toBe('cpu/authorization-server-bench');
    expect(read(`${group}/cpu.cfs_period_us`)).toBe('20000');
    expect(read(`${group}/cpu.cfs_quota_us`)).toBe('5789');
  });

  it('has its share by the file of version 2', () => {
    const group = relative(root, createGroup(root));
    expect(group).toBe('authorization-server-bench');
    expect(read(`${group}/cpu.max`)).toBe('5789 20000');
  });

  it('of a run that was interrupted is used again', () => {
    expect(createGroup(root)).toBe(createGroup(root));
  });

  it('that cannot be made is refused with what it needs', () => {
    expect(() => createGroup(join(root, 'absent'))).toThrow(
      /^a slow machine needs Linux and root, to limit CPU time with a control group: ENOENT/,
    );
  });
});
