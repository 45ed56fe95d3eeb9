import { writeFileSync } from 'node:fs';
import type { DecidedRequest } from '../../../emulator/iam/access-control.ts';
import { say } from '../proof.ts';
import { countStatementUses, describeUses, listUses } from './statement-uses.ts';

/**
 * Says how many calls IAM decided, and which statements of the deployed policies they used.
 *
 * @param file also gets the statements that were used.
 */
export function reportUses(decisions: readonly DecidedRequest[], file: string): void {
  const allowed = decisions.filter(({ result }) => result === 'Allowed').length;
  const uses = countStatementUses(decisions);
  const used = uses.filter(({ actions }) => actions.size > 0).length;
  say(
    `IAM decided ${decisions.length} calls: ${allowed} allowed, ${decisions.length - allowed} denied as expected; ${used} of ${uses.length} statements applied`,
  );
  for (const line of describeUses(uses)) say(line);
  writeFileSync(file, `${JSON.stringify(listUses(uses), undefined, 2)}\n`);
}
