import { Option } from 'commander';
import { numberOrTyped } from '../core/duration.ts';

export interface IfVersionOptions {
  readonly ifVersion?: number;
}

/** For every change of a client, its secrets, an API key or limits. @param what has the version. */
export function ifVersionOption(
  what: 'client' | 'API key' | 'trunk group' | 'list of grants' | 'grants',
): Option {
  return new Option(
    '--if-version <version>',
    `make the change only if the ${what} still has this version`,
  ).argParser(numberOrTyped);
}
