import type { DemoEnvironment } from '../../contract/demo-environment.ts';
import { inQuotes } from '../../contract/shell-word.ts';

/** A file for `set -a; . demo.env; set +a`. */
export function formatDemoEnvironment(environment: DemoEnvironment): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${inQuotes(value)}\n`)
    .join('');
}
