import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DecidedRequest } from '../../emulator/iam/authorizer.ts';
import { say } from '../proof.ts';

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
}

/** A statement of a deployed policy, and the actions that it applied to. */
interface StatementUse {
  /** The role, the key policy or the managed policy. */
  readonly owner: string;
  readonly statement: Statement;
  readonly actions: ReadonlySet<string>;
}

function policiesOf({ policies }: DecidedRequest) {
  const { identity, boundary, resource } = policies;
  return [
    ...identity.map((policy) => ({ ...policy, type: 'identity' as const })),
    ...(boundary === undefined ? [] : [{ ...boundary, type: 'boundary' as const }]),
    ...(resource === undefined ? [] : [{ ...resource, type: 'resource' as const }]),
  ];
}

/**
 * Counts which statements applied to requests. A statement is the same one if its owner and its
 * text are the same: an update of a stack moves statements within their policy.
 */
function countStatementUses(decisions: readonly DecidedRequest[]): readonly StatementUse[] {
  const uses = new Map<string, StatementUse & { readonly actions: Set<string> }>();
  for (const request of decisions) {
    for (const { type, name, document } of policiesOf(request)) {
      const owner = name.startsWith('arn:') ? name : (name.split('/')[0] ?? name);
      (document.Statement as readonly Statement[]).forEach((statement, index) => {
        const id = JSON.stringify([owner, statement]);
        const use = uses.get(id) ?? { owner, statement, actions: new Set() };
        uses.set(id, use);
        const applied = request.statements.some(
          (one) => one.type === type && one.policy === name && one.index === index,
        );
        if (applied) use.actions.add(request.action);
      });
    }
  }
  return [...uses.values()];
}

/** One line about each owner of statements. */
function describeUses(uses: readonly StatementUse[]): readonly string[] {
  return [...Map.groupBy(uses, ({ owner }) => owner)].map(([owner, statements]) => {
    const used = statements.filter(({ actions }) => actions.size > 0);
    const unused = statements
      .filter(({ actions }) => actions.size === 0)
      .map(({ statement }) => `${statement.Effect} ${[statement.Action].flat().join(' ')}`);
    const list = unused.length === 0 ? '' : `; not used: ${unused.join(', ')}`;
    return `${owner}: ${used.length} of ${statements.length} statements used${list}`;
  });
}

/** What was used, e.g. `authorization-server-slc-token: Allow kms:Sign`. */
function listUses(uses: readonly StatementUse[]): readonly string[] {
  const names = uses.flatMap(({ owner, statement, actions }) =>
    [...actions].map((action) => `${owner}: ${statement.Effect} ${action}`),
  );
  return [...new Set(names)].toSorted();
}

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
