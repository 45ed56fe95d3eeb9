import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';

function leavesOf(command: Command, words: string): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[words, command]];
  return command.commands.flatMap((each) => leavesOf(each, `${words} ${each.name()}`));
}

/** A page with the help of every command, as authctl prints it. */
export function formatCommands(): string {
  const { stdin, stdout, stderr } = process;
  const program = createProgram({ stdin, stdout, stderr, env: {}, cwd: '/' }, () => undefined);
  const sections = leavesOf(program, 'authctl').map(
    ([words, command]) =>
      `## ${words}\n\n\`\`\`text\n${command.helpInformation().trimEnd()}\n\`\`\`\n`,
  );
  return `# Every command of authctl\n\nWhat \`--help\` of each command prints.\n\n${sections.join('\n')}`;
}
