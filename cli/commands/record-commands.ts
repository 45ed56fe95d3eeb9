import type { Management } from '../../adapters/management.ts';
import { numberOrTyped, secondsOrTyped } from '../../core/duration.ts';
import type { Cli, Operations } from '../cli.ts';
import {
  type Argument,
  type ArgumentValues,
  type CommandSpec,
  command,
  option,
  parsed,
  type TypedOption,
  withDefault,
} from '../command-spec.ts';
import { expiryOptions, readExpiry } from '../expiry-options.ts';
import type { CommandResult } from '../output.ts';
import { idempotencyKeyOption } from './field-options.ts';

/** For every change of a client, its secrets, an API key or limits. @param what has the version. */
export function ifVersionOption(
  what: 'client' | 'API key' | 'trunk group' | 'list of grants' | 'grants',
) {
  const summary = `make the change only if the ${what} still has this version`;
  return parsed('--if-version <version>', summary, numberOrTyped);
}

/** A kind of record: what its commands have in common. */
interface RecordKind<Ids, Item> {
  /** The word before the command: `client`. */
  readonly noun: string;
  /** The ids in examples. */
  readonly example: string;
  readonly find: (management: Operations, ids: Ids) => Promise<Item>;
  readonly print: (cli: Cli, item: Item, ids: Ids) => void;
}

/** Makes a change of what the ids name. */
type Act<Ids, Result> = (
  management: Operations,
  ids: Ids,
  options: { readonly ifVersion?: number | undefined },
) => Promise<Result>;

type Note<Item> = (cli: Cli, item: Item) => string | Promise<string>;

interface Deletion<Ids, Item> {
  readonly json: (ids: Ids) => CommandResult['json'];
  readonly note?: Note<Item>;
  readonly examples?: readonly string[];
}

export function showCommand<const Arguments extends readonly Argument[], Item>(
  ids: Arguments,
  { noun, example, find, print }: RecordKind<ArgumentValues<Arguments>, Item>,
  summary: string,
): CommandSpec {
  return command({
    name: 'show',
    summary,
    arguments: ids,
    examples: [`${noun} show ${example}`],
    run: async (cli, values) => print(cli, await find(cli.management, values), values),
  });
}

/** The commands that every kind of record has, of what it is called and what it does. */
export function recordCommands<const Arguments extends readonly Argument[], Item extends object>(
  ids: Arguments,
  versioned: Parameters<typeof ifVersionOption>[0],
  kind: RecordKind<ArgumentValues<Arguments>, Item>,
) {
  type Ids = ArgumentValues<Arguments>;
  const { noun, example, find, print } = kind;
  return {
    show: (summary: string) => showCommand(ids, kind, summary),

    /** Makes a change at once, and shows what the record is now. */
    change: (name: string, summary: string, act: Act<Ids, Item>, note?: Note<Item>) =>
      command({
        name,
        summary,
        arguments: ids,
        options: [ifVersionOption(versioned)],
        examples: [`${noun} ${name} ${example}`],
        run: async (cli, values, options) => {
          const item = await act(cli.management, values, options);
          print(cli, item, values);
          if (note !== undefined) cli.output.note(await note(cli, item));
        },
      }),

    /** Deletes what it has asked about: no later version. The note is made before. */
    remove: (
      summary: string,
      question: (item: Item, ids: Ids) => string,
      act: Act<Ids, unknown>,
      { json, note, examples = [] }: Deletion<Ids, Item>,
    ) =>
      command({
        name: 'delete',
        summary,
        arguments: ids,
        options: [ifVersionOption(versioned)],
        examples: [`${noun} delete ${example}`, ...examples],
        run: async (cli, values, { ifVersion }) => {
          const item = await find(cli.management, values);
          const text = await note?.(cli, item);
          await cli.confirm(question(item, values));
          const found = 'version' in item ? Number(item.version) : undefined;
          await act(cli.management, values, { ifVersion: ifVersion ?? found });
          cli.output.print({ json: json(values), quiet: [], text: `Deleted ${values.at(-1)}.` });
          if (text !== undefined) cli.output.note(text);
        },
      }),
  };
}

/** What is different between the rotations of two kinds of credentials. */
interface Rotation {
  readonly summary: string;
  /** How the help of the overlap goes on after "how long". */
  readonly overlap: string;
  readonly more?: readonly TypedOption<object>[];
  readonly versioned: Parameters<typeof ifVersionOption>[0];
  /** What is asked if the old value stops at once. */
  readonly question: (id: string) => string;
  readonly examples: readonly [string, string];
  readonly act: (
    cli: Cli,
    id: string,
    options: Parameters<Management['rotateClientSecret']>[1],
  ) => Promise<void>;
}

/** Gives a credential another value, and lets the old ones expire. */
export function rotateCommand(
  argument: Argument,
  { summary, overlap: what, more = [], versioned, question, examples, act }: Rotation,
): CommandSpec {
  return command({
    name: 'rotate',
    summary,
    arguments: [argument],
    options: [
      withDefault(
        option('--expire-old-in <duration>', `how long ${what}`, 'overlap'),
        '7d',
        '7d: a week to roll out the new one',
      ),
      ...more,
      ...expiryOptions(),
      idempotencyKeyOption(),
      ifVersionOption(versioned),
    ],
    examples,
    run: async (cli, [id], { expireOldIn, expiresIn, expiresAt: end, ...rest }) => {
      const overlap = secondsOrTyped(expireOldIn);
      if (overlap === 0) await cli.confirm(question(id));
      const expiresAt = readExpiry({ expiresIn, expiresAt: end }, cli.now());
      await act(cli, id, { ...rest, overlap, expiresAt });
    },
  });
}
