import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DecidedRequest } from '../../emulator/iam/access-control.ts';
import { say } from '../proof.ts';
import { countStatementUses, describeUses, listUses } from './statement-uses.ts';

/** Gets the statements that were used, for the report of `test/integration/permissions`. */
export const deployedUsesPath = join(
  import.meta.dirname,
  '../../../node_modules/.cache/deployed-uses.json',
);

/** Says how many calls IAM decided, and which statements of the deployed policies they used. */
export function reportUses(decisions: readonly DecidedRequest[]): void {
  const allowed = decisions.filter(({ result }) => result === 'Allowed').length;
  const uses = countStatementUses(decisions);
  const used = uses.filter(({ actions }) => actions.size > 0).length;
  say(
    `IAM decided ${decisions.length} calls: ${allowed} allowed, ${decisions.length - allowed} denied as expected; ${used} of ${uses.length} statements applied`,
  );
  for (const line of describeUses(uses)) say(line);
  mkdirSync(dirname(deployedUsesPath), { recursive: true });
  writeFileSync(deployedUsesPath, `${JSON.stringify(listUses(uses), undefined, 2)}\n`);
}
