import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import { codeBlocks, isShell, readPage, root } from '../../support/markdown.ts';
import { type CommandResult, runCommand, runOrThrow } from '../../support/run-command.ts';

export const awsRegion = 'us-west-2';

/** What a person on call has: the account, and its commands. */
export interface OnCall {
  readonly cloud: Cloud;
  readonly configPath: string;
  /** The texts of the alarms, by the last part of their names. */
  readonly alarms: ReadonlyMap<string, string>;
  readonly path: string;
  readonly folder: string;
}

/** Runs a command as an administrator, whom IAM and key policies limit, and says how it ended. */
export function attempt(person: OnCall, command: string): Promise<CommandResult> {
  // Pages leave out how authctl is found.
  const script = command.replaceAll(/(^|[ (])(?<!-- )authctl /gm, '$1npx --no -- authctl ');
  return runCommand(['bash', '-euo', 'pipefail', '-c', script], {
    cwd: command.includes('authctl ') ? root : person.folder,
    onlyEnvironment: {
      ...person.cloud.operatorEnvironment(awsRegion),
      PATH: person.path,
      AUTHCTL_CONFIG: person.configPath,
    },
  });
}

/** Runs a command that must succeed. */
export async function follow(person: OnCall, command: string): Promise<string> {
  const { code, output, stdout } = await attempt(person, command);
  assert.equal(code, 0, `$ ${command}\n${output}`);
  say(`$ ${command.replaceAll('\n', '\n    ')}`);
  return stdout;
}

/** The same with the break-glass role, which is the root user of this account. */
export async function followAsBreakGlass(person: OnCall, command: string): Promise<string> {
  say(`# break-glass\n  $ ${command.replaceAll('\n', '\n    ')}`);
  return person.cloud.shell(command, { PATH: person.path }, person.folder);
}

/** A command of a page, or a block of it, word for word but for values that a reader fills in. */
export function pageCommand(
  page: string,
  first: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = readPage(page);
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const blocks = codeBlocks(text).filter(isShell);
  const found = [...blocks.map(({ lines }) => lines.join('\n')), ...inline].find((code) =>
    code.includes(first),
  );
  return Object.entries(values).reduce(
    (command, [name, value]) => command.replaceAll(name, value),
    found ?? assert.fail(`${page} has no command ${first}`),
  );
}

/** From the template of the config: the deployed one lacks alarms that the emulator does not know. */
export async function readAlarms(
  configPath: string,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const output = join(folder, 'alarms.out');
  const cdk = ['node_modules/.bin/cdk', 'synth', '--quiet', '--output', output] as const;
  await runOrThrow([...cdk, '-c', `config=${configPath}`], { cwd: root });
  const template = readFileSync(join(output, 'AuthorizationServer-slc.template.json'), 'utf8');
  const { Resources } = JSON.parse(template) as {
    readonly Resources: Readonly<Record<string, { readonly Properties?: Record<string, string> }>>;
  };
  return new Map(
    Object.values(Resources).map(({ Properties: { AlarmName, AlarmDescription } = {} }) => [
      String(AlarmName).replace('authorization-server-slc-', ''),
      String(AlarmDescription),
    ]),
  );
}

/** The page that the text of an alarm names, which is all that is known at first. */
export function openPage(person: OnCall, id: string): string {
  const text = person.alarms.get(id) ?? '';
  const [, page] = / 1\. .+ 2\. .+ More: (docs\/runbook\/[\w-]+\.md)$/.exec(text) ?? [];
  say(text);
  return page ?? assert.fail(`the alarm ${id} names no page: ${text}`);
}

/**
 * The lines that the first step of an alarm prints. `aws logs tail` is of AWS CLI 2; the emulator's
 * is 1, which reads the same group with the same filter.
 */
export async function readFirstStep(person: OnCall, id: string): Promise<string> {
  const [, group, filter] =
    /1\. aws logs tail (\S+) --since \w+(?: --filter-pattern ('[^']+'))?/.exec(
      person.alarms.get(id) ?? '',
    ) ?? assert.fail(`the first step of ${id} reads no log`);
  const pattern = filter === undefined ? '' : ` --filter-pattern ${filter}`;
  const command = `aws logs filter-log-events --log-group-name ${group}${pattern}`;
  return followAsBreakGlass(person, `${command} --query events[].message --output text`);
}
