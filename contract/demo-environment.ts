import { escapedQuote } from './shell-word.ts';

/** What another terminal needs to use the local run: variables by name. */
export type DemoEnvironment = Readonly<Record<string, string>>;

const assignment = /^(\w+)='((?:[^']|'\\'')*)'$/gm;

/** For `set -a; . demo.env; set +a`. Node's own parser knows no quote within quotes. */
export function parseDemoEnvironment(text: string): DemoEnvironment {
  return Object.fromEntries(
    [...text.matchAll(assignment)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(escapedQuote, "'"),
    ]),
  );
}
