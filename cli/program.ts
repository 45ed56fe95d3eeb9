import { Command, Help, Option } from 'commander';
import { packageVersion } from '../adapters/package-version.ts';
import { sayAsDuration } from '../core/duration.ts';
import { InputError, type InputProblem } from '../core/errors.ts';
import { type Cli, createCli, type GlobalOptions } from './cli.ts';
import type { CliIo } from './cli-io.ts';
import { commandGroups, singleCommands } from './command-groups.ts';
import { type CommandGroup, type CommandSpec, collectValues, fieldOf } from './command-spec.ts';
import { ownCommand } from './deployment.ts';
import { Terminal } from './terminal.ts';

function formatExamples(io: CliIo, examples: readonly string[]): string {
  const lines = examples.map((example) => `  $ ${ownCommand(io)} ${example}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

function buildCommand(
  io: CliIo,
  spec: CommandSpec,
  open: (options: GlobalOptions) => Cli,
): Command {
  const command = new Command(spec.name).summary(spec.summary).description(`${spec.summary}.`);
  for (const [name, description] of spec.arguments ?? []) {
    command.argument(`<${name}>`, description);
  }
  for (const option of spec.options ?? []) command.addOption(option);
  return command.addHelpText('after', formatExamples(io, spec.examples)).action(async () => {
    try {
      await spec.run(open(command.optsWithGlobals()), command.args as never, command.opts());
    } catch (error) {
      throw nameOption(error, {
        options: command.options,
        isGiven: (name) => command.getOptionValueSource(name) === 'cli',
        valueOf: (name): unknown => command.getOptionValue(name),
      });
    }
  });
}

function buildGroup(
  io: CliIo,
  group: CommandGroup,
  open: (options: GlobalOptions) => Cli,
): Command {
  const command = new Command(group.name).summary(group.summary).description(`${group.summary}.`);
  for (const spec of group.commands) command.addCommand(buildCommand(io, spec, open));
  const examples = group.commands.map((spec) => spec.examples[0]);
  return command.addHelpText('after', formatExamples(io, examples));
}

function describeOption(option: Option): string {
  const text = new Help().optionDescription(option);
  return option.mandatory ? `${text} (required)` : text;
}

/** Subcommands do not inherit these by themselves when they are added. */
function configureAll(command: Command, io: CliIo): void {
  const terminal = new Terminal(io);
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => terminal.writeOut(text),
      writeErr: (text) => terminal.writeError(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stdout.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // Errors are thrown, and reported in the same form as all others.
      outputError: () => undefined,
    });
  for (const child of command.commands) configureAll(child, io);
}

/** What a person comes for. Every other group is for those who operate the deployment. */
const taskOf: ReadonlyMap<string, string> = new Map([
  ['portal', 'Look, and find out why:'],
  ['explain', 'Look, and find out why:'],
  ['audit', 'Look, and find out why:'],
  ['client', 'Clients and API keys:'],
  ['client-secret', 'Clients and API keys:'],
  ['key', 'Clients and API keys:'],
  ['api-key', 'Clients and API keys:'],
  ['api-key-subnet', 'Clients and API keys:'],
  ['scope', 'Clients and API keys:'],
  ['provider', 'Clients and API keys:'],
]);

/** The command line. @param answerNo see {@link createCli}. */
export function createProgram(io: CliIo, answerNo: () => void): Command {
  const open = (options: GlobalOptions): Cli => createCli(io, options, answerNo);
  const program = new Command('authctl')
    .description(
      'Manages the clients, secrets, API keys and identity providers of an authorization server.',
    )
    .version(packageVersion(), '--version', 'show the version')
    .option('--config <file>', 'deployment config; default: AUTHCTL_CONFIG')
    .option('--local', 'the local run of npm start')
    .option('--json', 'one JSON document on stdout')
    .option('--quiet', 'only ids, or only the new secret')
    .option(
      '--only-trunk-group <group>',
      'restrict the command to this service trunk group; may be repeated',
      collectValues,
    )
    // Only for a day on which the management function fails, and the procedure of that day has it.
    .addOption(new Option('--through <place>').hideHelp())
    .option('--yes', 'do not ask before a change that cannot be undone')
    .addHelpText(
      'after',
      formatExamples(io, [
        'client create --name Billing --trunk-group tg-1001 --scope messaging:view --local',
        'client-secret create client_4fWqEXAMPLE --expires-in 90d',
      ]) +
        '\n\nRegion, credentials and endpoints follow the AWS SDK: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL.\nExit codes: 0 done, 1 refused, 2 wrong usage.',
    );
  const add = (command: Command) =>
    program.addCommand(command.helpGroup(taskOf.get(command.name()) ?? 'Operate:'));
  for (const spec of singleCommands) add(buildCommand(io, spec, open));
  for (const group of commandGroups) add(buildGroup(io, group, open));
  configureAll(program, io);
  return program;
}

/** The options of a command, and which of them a person typed. */
interface CommandOptions {
  readonly options: readonly Option[];
  /** @param name of an option's value, e.g. `expiresIn`. */
  readonly isGiven: (name: string) => boolean;
  readonly valueOf: (name: string) => unknown;
}

function findOption({ options, isGiven }: CommandOptions, field: string): Option | undefined {
  // Of a subnet, `subnets[0].netmask`, the option has the whole.
  const [root] = field.split(/[.[]/, 1);
  const found = options.filter((option) => !option.negate && fieldOf(option) === root);
  return found.find((option) => isGiven(option.attributeName())) ?? found[0];
}

/** Names the options that a person typed, and durations as typed, instead of the library's fields. */
export function nameOption(error: unknown, command: CommandOptions): unknown {
  if (!(error instanceof InputError)) return error;
  const name = (problem: InputProblem): InputProblem => {
    const option = problem.field === undefined ? undefined : findOption(command, problem.field);
    if (option?.long === undefined || option.long === null) return problem;
    const typed = String(command.valueOf(option.attributeName()));
    return { ...problem, label: option.long, problem: sayAsDuration(problem.problem, typed) };
  };
  const [first, ...more] = error.problems;
  const named = new InputError([name(first), ...more.map(name)], { cause: error });
  return named.message === error.message ? error : named;
}
