import { readFileSync } from 'node:fs';

/**
 * The parent of a shell that runs a command for npm: some shells, such as dash, stay as a process
 * between npm and the command, and do not pass on what ends npm.
 *
 * @returns undefined if the process is no such shell, or the system has no /proc.
 */
function parentOfShell(pid: number): number | undefined {
  try {
    const [, option] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (option !== '-c') return undefined;
    // proc_pid_stat(5): the second field is a name in parentheses, which may contain any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/**
 * The npm, or npx, that started this process. When it has ended, the system gives this process, or
 * the shell between them, another parent.
 *
 * @returns whether it still runs; undefined if npm did not start this process, which may then
 * outlive its shell.
 */
export function findNpm(): (() => boolean) | undefined {
  if (process.env['npm_lifecycle_event'] === undefined) return undefined;
  const parent = process.ppid;
  const npm = parentOfShell(parent);
  return () => process.ppid === parent && parentOfShell(parent) === npm;
}
