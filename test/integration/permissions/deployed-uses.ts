import { existsSync, readFileSync } from 'node:fs';
import { deployedUsesPath } from '../../../lab/ministack/permissions/statement-uses.ts';

/**
 * Reads which statements the last `npm run test:deploy` of this machine used, by the names that the
 * policies have here. There are none if it did not run.
 */
export function readDeployedUses(): ReadonlySet<string> {
  if (!existsSync(deployedUsesPath)) return new Set();
  const names = JSON.parse(readFileSync(deployedUsesPath, 'utf8')) as readonly string[];
  return new Set(names.map((name) => name.replace(/^authorization-server-/, 'local-')));
}
