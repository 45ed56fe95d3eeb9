import { Option } from 'commander';
import { UsageError } from './usage-error.ts';

export interface IfVersionOptions {
  readonly ifVersion?: number;
}

function readVersion(text: string): number {
  const version = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (version > 0) return version;
  throw new UsageError(
    `--if-version: received "${text}"; allowed: the version that show --json prints, e.g. 3`,
  );
}

/** For every change of a client, its secrets, an API key or limits. @param what has the version. */
export function ifVersionOption(
  what: 'client' | 'API key' | 'trunk group' | 'list of grants' | 'grants',
): Option {
  return new Option(
    '--if-version <version>',
    `make the change only if the ${what} still has this version`,
  ).argParser(readVersion);
}
