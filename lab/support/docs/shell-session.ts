import { randomUUID } from 'node:crypto';
import { OutputProcess } from '../output-process.ts';

interface ShellResult {
  readonly code: number;
  readonly output: string;
}

/** A POSIX shell that is told one command after another, as a reader tells it. */
export class ShellSession {
  readonly #shell: OutputProcess;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#shell = new OutputProcess(['sh'], { cwd, env });
  }

  /**
   * Runs a command in the shell itself, so that its variables stay.
   *
   * @throws {Error} if the shell ends before the command does, or the command hangs.
   */
  async run(command: string): Promise<ShellResult> {
    const shell = this.#shell;
    const mark = randomUUID();
    const end = new RegExp(`\\n${mark} (\\d+)\\n`);
    const start = shell.output.length;
    shell.child.stdin.write(`{\n${command}\n} </dev/null 2>&1\nprintf '\\n${mark} %s\\n' "$?"\n`);
    const find = () => end.exec(shell.output.slice(start)) ?? undefined;
    const found = await shell.waitFor(command, find);
    return { code: Number(found[1]), output: found.input.slice(0, found.index) };
  }

  close(): void {
    this.#shell.child.kill('SIGKILL');
  }
}
