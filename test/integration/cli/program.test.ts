import { execFile, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandGroups } from '../../../cli/command-groups.ts';
import { programEnvironment } from '../../../lab/support/program-environment.ts';
import { runCli, useLocalCli } from './use-authctl.ts';

const { service } = useLocalCli();
const run = promisify(execFile);
const authctl = resolve(import.meta.dirname, '../../../cli/authctl.ts');

const commands = commandGroups.flatMap((group) =>
  group.commands.map((command) => [`${group.name} ${command.name}`, command] as const),
);

describe('the help', () => {
  it.each(commands)('of %s has examples that name it', async (name, command) => {
    const { exitCode, stdout } = await runCli([...name.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: authctl ${name}`);
    expect(stdout).toContain('Global Options:');
    expect(command.examples.every((example) => example.startsWith(name))).toBe(true);
    for (const example of command.examples) expect(stdout).toContain(`  $ authctl ${example}`);
  });

  it('marks the options that a command needs', async () => {
    const { stdout } = await runCli(['client', 'create', '--help']);
    expect(stdout).toMatch(/--name <name> +name for people, up to 128 characters \(required\)/);
    expect(stdout.match(/\(required\)/g)).toHaveLength(3);
  });

  it('shows commands as the person ran this one', async () => {
    const { stdout } = await runCli(['client', '--help'], { env: { npm_command: 'exec' } });
    expect(stdout).toContain('  $ npx --no -- authctl client create ');
  });

  it('lists every group', async () => {
    const { stdout } = await runCli(['--help']);
    for (const group of commandGroups) expect(stdout).toMatch(new RegExp(`^  ${group.name} `, 'm'));
  });
});

describe('the program', () => {
  it('follows the SDK in region, credentials and endpoints', async () => {
    const env = { ...service().environment, ...programEnvironment() };
    const { stdout } = await run(process.execPath, [authctl, 'client', 'list', '--quiet'], { env });
    expect(stdout.trim()).toBe(service().clientId);
  });

  it('ends with 2 and without a stack if there is no region', () => {
    const { AWS_REGION: _, AWS_DEFAULT_REGION: __, ...rest } = service().environment;
    const env = {
      ...rest,
      ...programEnvironment(),
      AWS_CONFIG_FILE: '/nonexistent',
      HOME: '/nonexistent',
    };
    const { status, stdout, stderr } = spawnSync(process.execPath, [authctl, 'client', 'list'], {
      env,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe('authctl: no AWS region: set AWS_REGION\n');
  });
});

describe('colours', () => {
  it.each([
    ['a terminal', { isTerminal: true }, true],
    ['a pipe', { isTerminal: false }, false],
    ['a terminal with NO_COLOR', { isTerminal: true, env: { NO_COLOR: '1' } }, false],
    ['a dumb terminal', { isTerminal: true, env: { TERM: 'dumb' } }, false],
  ])('on %s', async (_, input, isColored) => {
    const config = resolve(import.meta.dirname, '../../../config/single-region.json');
    const { stdout } = await runCli(['scope', 'list', '--config', config], input);
    expect(stdout.includes('\u001b[')).toBe(isColored);
  });
});
