import type { CommandResult } from './run-command.ts';

/** The line that says most: Maven, pip and Cargo end with advice, not with the error. */
function lineOf(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, 200);
}

/** Why a tool did not do its work, for the line of a test that is skipped. */
export function missingTool(name: string, { code, output }: CommandResult): string {
  if (code === undefined && output.includes('ENOENT')) return `${name} (not on the PATH)`;
  return `a working ${name} (${lineOf(output)})`;
}
