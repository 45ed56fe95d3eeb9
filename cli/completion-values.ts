import { setTimeout as sleep } from 'node:timers/promises';
import { ownValue } from '../contract/own-value.ts';
import { scopeName } from '../contract/scopes.ts';
import { isPlainWord } from '../contract/shell-word.ts';
import { type Cli, createCli, type GlobalOptions } from './cli.ts';
import type { CliIo } from './cli-io.ts';

/** Values by the name of the argument, or by the option with its dashes. */
export type CompletionValues = ReadonlyMap<string, readonly string[]>;

/** Maximum milliseconds for a completion. */
const patience = 3000;

type Read = (cli: Cli) => Promise<readonly string[]>;

const readIssuers: Read = async (cli) =>
  (await cli.management.listProviders()).map(({ issuer }) => issuer);

const readScopes: Read = async (cli) => cli.deployment().config.scopes.map(scopeName);

/** The values for each group of commands. Ids are random, so they are pasted. */
const reads: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  client: { '--scope': readScopes, '--provider': readIssuers },
  provider: { issuer: readIssuers },
  'trunk-group-limits': { '--scope': readScopes, '--provider': readIssuers },
  explain: { '--scope': readScopes },
};

function readGlobalOptions(words: readonly string[]): GlobalOptions {
  const at = words.indexOf('--config');
  return { local: words.includes('--local'), config: at === -1 ? undefined : words[at + 1] };
}

/** Whether the last word may be one of these values. */
function isAskedFor(name: string, words: readonly string[]): boolean {
  const before = words.at(-2);
  if (name.startsWith('--')) return before === name;
  return before?.startsWith('--') !== true || before === '--local';
}

/**
 * Reads the values that may follow the words of a command line. Values that cannot be read in time
 * are omitted, because completion cannot show errors.
 */
export async function readCompletionValues(
  io: CliIo,
  words: readonly string[],
): Promise<CompletionValues> {
  const group = words.find((word) => Object.hasOwn(reads, word)) ?? '';
  const offered = Object.entries(ownValue(reads, group) ?? {}).filter(([name]) =>
    isAskedFor(name, words),
  );
  type Found = readonly [name: string, values: readonly string[]];
  const read = offered.map(async ([name, values]): Promise<Found> => {
    try {
      const cli = createCli(io, readGlobalOptions(words), () => undefined);
      // Shells insert a value as it is, so one that they would evaluate is not offered.
      return [name, (await values(cli)).filter(isPlainWord)];
    } catch {
      return [name, []];
    }
  });
  const late = sleep<readonly Found[]>(patience, [], { ref: false });
  return new Map(await Promise.race([Promise.all(read), late]));
}
