import { Option } from 'commander';
import type { Cli } from './cli.ts';

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;
type NameOf<Flags extends string> = Flags extends `--${infer Name} <${string}>`
  ? Camel<Name>
  : Flags extends `--${infer Name}`
    ? Camel<Name>
    : never;
type ValueOf<Flags extends string> = Flags extends `${string} <${string}>` ? string : true;

declare const values: unique symbol;

/** An option with its name and the type of its value, which follow from how it is written. */
export type TypedOption<Values> = Option & { readonly [values]?: Values };

/** The values of several options together. */
export type OptionValues<Options extends readonly Option[]> = (
  Options[number] extends infer One
    ? One extends { readonly [values]?: infer Values }
      ? (values: NonNullable<Values>) => void
      : never
    : never
) extends (values: infer All) => void
  ? All
  : never;

type Optional<Flags extends string, Value> = TypedOption<{
  readonly [Name in NameOf<Flags>]?: Value;
}>;

const fieldsOfOptions = new WeakMap<Option, string>();

/** The field of the library that an option gives; its own name in camel case unless declared. */
export function fieldOf(one: Option): string {
  return fieldsOfOptions.get(one) ?? one.attributeName();
}

/** Declares the field that an option gives, so that a message about the field names the option. */
export function givesField<One extends Option>(one: One, field: string | undefined): One {
  if (field !== undefined) fieldsOfOptions.set(one, field);
  return one;
}

/**
 * `--in-words <text>` is a text as `inWords`, `--dry-run` is `dryRun: true`.
 *
 * @param field of the library, if it has another name.
 */
export function option<const Flags extends string>(
  flags: Flags,
  summary?: string,
  field?: string,
): Optional<Flags, ValueOf<Flags>> {
  return givesField(new Option(flags, summary), field);
}

/** An option whose text is read as something else. */
export function parsed<const Flags extends string, Value>(
  flags: Flags,
  summary: string,
  parse: (text: string) => Value,
): Optional<Flags, Value> {
  return new Option(flags, summary).argParser(parse);
}

/** An option with a closed set of values. */
export function chosen<const Flags extends string, const Value extends string>(
  flags: Flags,
  summary: string,
  choices: readonly Value[],
): Optional<Flags, Value> {
  return new Option(flags, summary).choices(choices);
}

/** The same, but the help only shows them: management refuses others. */
export function offered<const Flags extends string, const Value extends string>(
  flags: Flags,
  summary: string,
  choices: readonly Value[],
): Optional<Flags, Value> {
  return Object.assign(new Option(flags, summary), { argChoices: [...choices] });
}

/** For options that may be given several times. */
export function collectValues(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** An option that may be given several times. */
export function repeatable<const Flags extends string>(
  flags: Flags,
  summary: string,
  field?: string,
): Optional<Flags, readonly string[]> {
  return givesField(new Option(flags, summary).argParser(collectValues), field);
}

/** An option that the command needs. */
export function mandatory<Values>(one: TypedOption<Values>): TypedOption<Required<Values>> {
  return one.makeOptionMandatory() as TypedOption<Required<Values>>;
}

/** An option with a default. @param shown how the help says it. */
export function withDefault<Values>(
  one: TypedOption<Values>,
  value: string,
  shown: string,
): TypedOption<Required<Values>> {
  return one.default(value, shown) as TypedOption<Required<Values>>;
}

export type Argument = readonly [name: string, description: string];

/** What a person gives for the arguments. */
export type ArgumentValues<Arguments extends readonly Argument[]> = {
  readonly [Index in keyof Arguments]: string;
};

/** One command, e.g. `client create`. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments, all required: name and description. */
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Command lines after `authctl`, shown by `--help`. At least one. */
  readonly examples: readonly [string, ...string[]];
  /** `never`, because only the command itself knows its arguments and options. */
  readonly run: (cli: Cli, args: never, options: never) => Promise<void>;
}

/** Declares a command. What `run` gets is typed by its arguments and options. */
export function command<
  const Arguments extends readonly Argument[] = [],
  const Options extends readonly Option[] = [],
>(
  spec: Omit<CommandSpec, 'arguments' | 'options' | 'run'> & {
    readonly arguments?: Arguments;
    readonly options?: Options;
    readonly run: (
      cli: Cli,
      args: ArgumentValues<Arguments>,
      options: OptionValues<Options>,
    ) => Promise<void>;
  },
): CommandSpec {
  return spec;
}

/** Commands about one thing, e.g. `client`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandSpec[];
}
