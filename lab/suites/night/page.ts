import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import { codeBlocks, isShell, readPage } from '../../support/markdown.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';

export const awsRegion = 'us-west-2';

/** What a person on call has: the account, its commands, and two sets of credentials. */
export interface OnCall {
  readonly cloud: Cloud;
  readonly configPath: string;
  /** Folder of the synthesised stack, with the texts of its alarms. */
  readonly assembly: string;
  /** `bin` with the command line of AWS. */
  readonly bin: string;
}

const root = join(import.meta.dirname, '../../..');

/** Runs a command as an administrator, whom IAM and key policies limit, and says how it ended. */
export function attempt(
  { cloud, configPath, bin }: OnCall,
  command: string,
): Promise<CommandResult> {
  const environment = cloud.operatorEnvironment(awsRegion);
  const PATH = [bin, environment['PATH']].join(':');
  // Pages leave out how authctl is found.
  const script = command.replaceAll(/(^|[ (])(?<!-- )authctl /gm, '$1npx --no -- authctl ');
  return runCommand(['bash', '-euo', 'pipefail', '-c', script], {
    cwd: root,
    onlyEnvironment: { ...environment, PATH, AUTHCTL_CONFIG: configPath },
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
export async function followAsBreakGlass({ cloud, bin }: OnCall, command: string): Promise<string> {
  const output = await cloud.shell(command, { PATH: `${bin}:${process.env['PATH']}` });
  say(`$ ${command}    # break-glass`);
  return output;
}

const replace = (text: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((found, [name, value]) => found.replaceAll(name, value), text);

/**
 * A command that a page has in its text, or a block of it, word for word but for the values that a
 * reader fills in.
 */
export function pageCommand(
  page: string,
  first: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = readPage(page);
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const blocks = codeBlocks(text)
    .filter(isShell)
    .map(({ lines }) => lines.join('\n'));
  const found = [...blocks, ...inline].find((code) => code.includes(first));
  return replace(found ?? assert.fail(`${page} has no command ${first}`), values);
}

interface Alarm {
  readonly id: string;
  readonly text: string;
}

/** The alarms of the synthesised template. */
export function readAlarms({ assembly }: OnCall): readonly Alarm[] {
  const file = join(assembly, 'AuthorizationServer-slc.template.json');
  const { Resources } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly Resources: Readonly<
      Record<
        string,
        { readonly Type: string; readonly Properties: Readonly<Record<string, string>> }
      >
    >;
  };
  return Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ Properties }) => ({
      id: String(Properties['AlarmName']).replace('authorization-server-slc-', ''),
      text: String(Properties['AlarmDescription']),
    }));
}

/** The page that the text of an alarm names, which is all that is known at first. */
export function openPage(person: OnCall, id: string): string {
  const alarm = readAlarms(person).find((one) => one.id === id);
  const [, page] =
    / 1\. .+ 2\. .+ More: (docs\/runbook\/[\w-]+\.md)$/.exec(alarm?.text ?? '') ?? [];
  return page ?? assert.fail(`the alarm ${id} names no page: ${alarm?.text}`);
}

/** The command of the alarm's first or second step, which needs no page. */
export function alarmCommand(
  person: OnCall,
  id: string,
  first: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = readAlarms(person).find((one) => one.id === id)?.text ?? '';
  const start = text.indexOf(first);
  assert.ok(start >= 0, `the alarm ${id} has no command ${first}: ${text}`);
  const [command = ''] = text.slice(start).split(/: (?=[a-z])| 2\. |\. |, then /);
  return replace(command, values);
}
