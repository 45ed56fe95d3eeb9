import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { hangLimit } from '../hang-limit.ts';

interface ShellResult {
  readonly code: number;
  readonly output: string;
}

/** A POSIX shell that is told one command after another, as a reader tells it. */
export class ShellSession {
  readonly #child: ChildProcess;
  #text = '';
  #heard: () => void = () => undefined;

  constructor(cwd: string, environment: NodeJS.ProcessEnv) {
    this.#child = spawn('sh', [], { cwd, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    const hear = (chunk: Buffer): void => {
      this.#text += chunk.toString();
      this.#heard();
    };
    this.#child.stdout?.on('data', hear);
    this.#child.stderr?.on('data', hear);
    // What it started may keep its output open after a hang.
    for (const event of ['exit', 'close']) this.#child.on(event, () => this.#heard());
  }

  /** Runs a command in the shell itself, so that its variables stay. One that hangs ends the shell. */
  async run(command: string): Promise<ShellResult> {
    const limit = setTimeout(() => this.close(), hangLimit);
    try {
      return await this.#run(command);
    } finally {
      clearTimeout(limit);
    }
  }

  async #run(command: string): Promise<ShellResult> {
    const mark = randomUUID();
    this.#text = '';
    const end = new RegExp(`\\n${mark} (\\d+)\\n`);
    const input = `{\n${command}\n} </dev/null 2>&1\nprintf '\\n${mark} %s\\n' "$?"\n`;
    this.#child.stdin?.write(input);
    for (;;) {
      const found = end.exec(this.#text);
      if (found) return { code: Number(found[1]), output: this.#text.slice(0, found.index) };
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        return { code: this.#child.exitCode ?? -1, output: this.#text };
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }
}
