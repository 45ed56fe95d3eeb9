import { escapedQuote } from './shell-word.ts';

/** What another terminal needs to use the local run: variables by name. */
export type DemoEnvironment = Readonly<Record<string, string>>;

const assignment = /^(\w+)='((?:[^']|'\\'')*)'$/gm;

/**
 * Reads `demo.env`, which is for `set -a; . demo.env; set +a`. Node's own parser of such files does
 * not support a quote within quotes, which the name of a folder may contain.
 */
export function parseDemoEnvironment(text: string): DemoEnvironment {
  return Object.fromEntries(
    [...text.matchAll(assignment)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(escapedQuote, "'"),
    ]),
  );
}
