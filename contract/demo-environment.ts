/** What another terminal needs to use the local run: variables by name. */
export type DemoEnvironment = Readonly<Record<string, string>>;

/** A quote within quotes for a POSIX shell: end, quote, begin. */
const escapedQuote = String.raw`'\''`;

/** A value that every POSIX shell reads back as it is. */
function quote(value: string): string {
  return `'${value.replaceAll("'", escapedQuote)}'`;
}

/** A file for `set -a; . demo.env; set +a`. */
export function formatDemoEnvironment(environment: DemoEnvironment): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${quote(value)}\n`)
    .join('');
}

const assignment = /^(\w+)='((?:[^']|'\\'')*)'$/gm;

/**
 * Reads what {@link formatDemoEnvironment} wrote. Node's own parser of such files does not support
 * a quote within quotes, which the name of a folder may contain.
 */
export function parseDemoEnvironment(text: string): DemoEnvironment {
  return Object.fromEntries(
    [...text.matchAll(assignment)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(escapedQuote, "'"),
    ]),
  );
}
