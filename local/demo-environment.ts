/** What another terminal needs to use the local run. */
export type DemoEnvironment = Readonly<Record<string, string>>;

/** A value that every POSIX shell reads back as it is. */
function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** A file for `set -a; . demo.env; set +a`. */
export function formatDemoEnvironment(environment: DemoEnvironment): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${quote(value)}\n`)
    .join('');
}
