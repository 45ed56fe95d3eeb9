import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import type { NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';
import type { StackPolicies } from '../../../lab/local/from-synth/stack-policies.ts';

/** A statement as policies are written. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** One action of one statement. */
interface StatementAction {
  readonly policy: string;
  readonly index: number;
  readonly effect: 'Allow' | 'Deny';
  readonly action: string;
}

export function statementsOf({ document }: NamedPolicy): readonly Statement[] {
  return document.Statement as readonly Statement[];
}

export function actionsOf({ Action }: Statement): readonly string[] {
  return [Action].flat();
}

/** Every policy of the templates, each by the name that decisions have. */
export function listPolicies(stack: StackPolicies): readonly NamedPolicy[] {
  const permissions = Map.groupBy(stack.permissions, ({ functionArn }) => functionArn);
  return [
    ...new Map(
      [...stack.roles.values()].flatMap(({ policies }) =>
        policies.map((policy) => [policy.name, policy] as const),
      ),
    ).values(),
    ...stack.managed.values(),
    ...stack.topics.values(),
    ...[...permissions].map(([arn, list]) => ({
      name: `permissions of ${arn.split(':function:')[1]}`,
      document: { Statement: list.map(({ statement }) => statement) },
    })),
  ];
}

export function listActions(policies: readonly NamedPolicy[]): readonly StatementAction[] {
  return policies.flatMap((policy) =>
    statementsOf(policy).flatMap((statement, index) =>
      actionsOf(statement).map((action) => ({
        policy: policy.name,
        index,
        effect: statement.Effect,
        action,
      })),
    ),
  );
}

function matches(pattern: string, action: string): boolean {
  return pattern === action || (pattern.endsWith('*') && action.startsWith(pattern.slice(0, -1)));
}

/** How many requests each action of each statement applied to. */
export function countUses(
  actions: readonly StatementAction[],
  decisions: readonly DecidedRequest[],
): ReadonlyMap<StatementAction, number> {
  const applied = decisions.flatMap(({ action, statements }) =>
    statements.map(({ policy, index }) => ({ policy, index, action })),
  );
  return new Map(
    actions.map((one) => [
      one,
      applied.filter(
        ({ policy, index, action }) =>
          policy === one.policy && index === one.index && matches(one.action, action),
      ).length,
    ]),
  );
}

/** Requests that differ in what IAM sees. */
export function distinct(decisions: readonly DecidedRequest[]): readonly DecidedRequest[] {
  const byRequest = new Map(
    decisions.map((one) => [
      JSON.stringify([one.principal, one.action, one.resource, one.context]),
      one,
    ]),
  );
  return [...byRequest.values()];
}
