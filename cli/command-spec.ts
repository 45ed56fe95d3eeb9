import { Option } from 'commander';
import type { Cli } from './cli.ts';

/** One command, e.g. `client create`. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments, all required: name and description. */
  readonly arguments?: readonly (readonly [name: string, description: string])[];
  readonly options?: readonly Option[];
  /** Command lines after `authctl`, shown by `--help`. At least one. */
  readonly examples: readonly [string, ...string[]];
  /** `never`, because only the command itself knows the type that its `options` describe. */
  readonly run: (cli: Cli, args: readonly string[], options: never) => Promise<void>;
}

/** Commands about one thing, e.g. `client`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandSpec[];
}

/** For options that may be given several times. */
export function collectValues(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** An option that may be given several times. */
export function repeatable(flags: string, summary: string): Option {
  return new Option(flags, summary).argParser(collectValues);
}
