import { numberOrTyped } from '../core/duration.ts';
import { parsed } from './command-spec.ts';

/** For every change of a client, its secrets, an API key or limits. @param what has the version. */
export function ifVersionOption(
  what: 'client' | 'API key' | 'trunk group' | 'list of grants' | 'grants',
) {
  const summary = `make the change only if the ${what} still has this version`;
  return parsed('--if-version <version>', summary, numberOrTyped);
}
