import { fork } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { wholeCpuMemory } from './cost/token-cost.ts';

/** Makes processes slow: they have a share of a core, and find the caches cold after a pause. */
export interface SlowMachine {
  /** Slows down a process, and what it starts from now on. */
  add(pid: number): void;
  /** All processes that were added must have ended. */
  close(): void;
}

/** What Lambda gives a function of 512 MB. */
export const share = 512 / wholeCpuMemory;

/** Microseconds. A process that has used its share waits until the next period begins. */
const period = 20_000;

const controlGroups = '/sys/fs/cgroup';
const name = 'authorization-server-bench';

/** By name. */
type Files = Readonly<Record<string, string>>;

/** The folder of the group, and its files with their content: cgroups(7), version 1 or 2. */
function describeGroup(root: string): { readonly group: string; readonly files: Files } {
  const quota = String(Math.round(period * share));
  if (existsSync(join(root, 'cpu/cpu.cfs_quota_us'))) {
    const files = { 'cpu.cfs_period_us': String(period), 'cpu.cfs_quota_us': quota };
    return { group: join(root, 'cpu', name), files };
  }
  return { group: join(root, name), files: { 'cpu.max': `${quota} ${period}` } };
}

/**
 * @param root where control groups are mounted.
 * @returns the folder of a control group that has a share of a core.
 * @throws {Error} if this machine has no control groups that this process may make.
 */
export function createGroup(root: string): string {
  const { group, files } = describeGroup(root);
  try {
    // A run that was interrupted leaves it.
    if (!existsSync(group)) mkdirSync(group);
    for (const [file, content] of Object.entries(files)) writeFileSync(join(group, file), content);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const needed = 'a slow machine needs Linux and root, to limit CPU time with a control group';
    throw new Error(`${needed}: ${reason}`, { cause: error });
  }
  return group;
}

/**
 * Other processes get the cores whenever the slow ones wait, as on a host with neighbours.
 *
 * @throws {Error} if this machine has no control groups that this process may make.
 */
export function startSlowMachine(): SlowMachine {
  const group = createGroup(controlGroups);
  const walkers = Array.from({ length: availableParallelism() }, () =>
    fork(join(import.meta.dirname, 'cache-walker.ts'), { execArgv: [] }),
  );
  return {
    add: (pid) => writeFileSync(join(group, 'cgroup.procs'), String(pid)),
    close: () => {
      for (const walker of walkers) walker.disconnect();
      rmdirSync(group);
    },
  };
}
