import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programEnvironment } from '../../../lab/support/program-environment.ts';
import { makeTemporaryDirectory, temporaryDirectory } from '../lab/local/temporary-directory.ts';

const run = promisify(execFile);
const authctl = resolve(import.meta.dirname, '../../../cli/authctl.ts');

const workspace = makeTemporaryDirectory();
afterAll(() => workspace.remove());
const completion = join(workspace.path, 'completion.bash');
beforeAll(async () => {
  const args = [authctl, 'complete', 'bash'];
  const { stdout } = await run(process.execPath, args, { env: programEnvironment() });
  writeFileSync(completion, stdout);
});

/** What bash offers at the end of a line, after the completion was sourced twice. */
async function complete(line: string): Promise<readonly string[]> {
  const script = `
    source "$COMPLETION"
    source "$COMPLETION"
    COMP_LINE="$LINE" COMP_POINT=\${#LINE}
    read -r -a COMP_WORDS <<< "$LINE"
    case "\${COMP_WORDS[0]}" in npx) _authctl_complete_npx ;; *) _authctl_complete ;; esac
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  // No authctl in the path: as in a clone, if only npx finds it.
  const env = { ...programEnvironment(), COMPLETION: completion, LINE: line };
  const { stdout, stderr } = await run('bash', ['--norc', '--noprofile', '-c', script], {
    env,
    cwd: workspace.path,
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('the completion of bash', () => {
  it.each([
    ['authctl client cr', ['create']],
    ['npx --no -- authctl client cr', ['create']],
    ['npx authctl client cr', ['create']],
    ['npx other authctl client cr', ['']],
    ['npx --no -- authctl client-secret rotate x --expire-o', ['--expire-old-in']],
  ])('offers at the end of "%s"', async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });

  it('evaluates nothing that was typed', async () => {
    const path = join(temporaryDirectory(), 'made');
    expect(await complete(`authctl client show $(touch ${path}) --js`)).toEqual(['--json']);
    expect(existsSync(path)).toBe(false);
  });

  it('offers the shells that it knows', async () => {
    expect(await complete('authctl complete ')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });
});

describe('complete', () => {
  const call = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [authctl, ...args], {
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  it('is refused as JSON with the code 2', () => {
    const stderr =
      '{"error":"usage","error_description":"--json: complete writes a script for a shell, and no JSON"}\n';
    expect(call('--json', 'complete', 'bash')).toEqual({ status: 2, stdout: '', stderr });
  });

  it('writes the same script after a global option', () => {
    expect(call('--local', 'complete', 'bash')).toEqual(call('complete', 'bash'));
  });
});

/** Prints what zsh offers for a line in `LINE`, in a terminal of its own. */
const askZsh = `
  zmodload zsh/zpty
  zpty shell zsh -f -i
  zpty -w shell 'autoload -Uz compinit; compinit -D -u; source =("$NODE" "$AUTHCTL" complete zsh)'
  zpty -w shell 'compadd() {
    local -a hits; builtin compadd -A hits "$@"; print -rl -- "<hit>"$^hits"</hit>"; builtin compadd "$@"
  }'
  zpty -w shell 'zle -C offer complete-word _main_complete; finish() { zle offer; print "<"end">"; exit }'
  zpty -w shell 'zle -N finish; bindkey "^I" finish; print "<"ready">"'
  zpty -r -m shell text "*<ready>*"
  zpty -w -n shell "$LINE"$'\t'
  zpty -r -m shell text "*<end>*"
  print -r -- $text`;

const otherShells = {
  zsh: {
    args: ['-f', '-c', askZsh],
    read: (text: string) => [...text.matchAll(/<hit>(.+?)<\/hit>/g)].map(([, hit = '']) => hit),
  },
  fish: {
    args: ['-N', '-c', '"$NODE" "$AUTHCTL" complete fish | source; complete -C "$LINE"'],
    read: (text: string) => text.split('\n').flatMap((line) => line.split('\t')[0] || []),
  },
} as const;

describe.each(Object.entries(otherShells))('the completion of %s', (shell, { args, read }) => {
  const isMissing = spawnSync(shell, ['--version']).status !== 0;

  /** What the shell offers at the end of a line, without repetitions. */
  async function offersOf(line: string): Promise<readonly string[]> {
    const folder = temporaryDirectory();
    const program = `#!/bin/sh\nexec "${process.execPath}" "${authctl}" "$@"\n`;
    writeFileSync(join(folder, 'authctl'), program, { mode: 0o700 });
    const { stdout } = await run(shell, args, {
      cwd: workspace.path,
      env: {
        ...programEnvironment(),
        PATH: `${folder}:${process.env['PATH']}`,
        HOME: folder,
        NODE: process.execPath,
        AUTHCTL: authctl,
        LINE: line,
      },
    });
    return [...new Set(read(stdout))];
  }

  it.skipIf(isMissing).each([
    ['authctl client cr', ['create']],
    ['authctl client-secret rotate x --expire-o', ['--expire-old-in']],
    ['authctl --local client create --scope messaging:v', ['messaging:view']],
  ])('offers at the end of "%s"', async (line, expected) => {
    expect(await offersOf(line)).toEqual(expected);
  });

  it.skipIf(isMissing)('evaluates nothing that was typed', async () => {
    const path = join(temporaryDirectory(), 'made');
    expect(await offersOf(`authctl client show $(touch ${path}) --js`)).toEqual(['--json']);
    expect(existsSync(path)).toBe(false);
  });
});
