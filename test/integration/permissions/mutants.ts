import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import {
  evaluateRequest,
  type NamedPolicy,
  type Policies,
} from '../../../lab/emulator/iam/evaluate-request.ts';
import { actionsOf, type Statement, statementsOf } from './statements.ts';

/** A change of one policy, and the requests that must tell it from the original. */
export interface Mutant {
  readonly name: string;
  readonly policy: string;
  readonly change: (policy: NamedPolicy) => NamedPolicy;
  readonly requests: readonly DecidedRequest[];
}

function withStatements(policy: NamedPolicy, Statement: readonly object[]): NamedPolicy {
  return { ...policy, document: { ...policy.document, Statement } };
}

function changePolicies(policies: Policies, mutant: Mutant): Policies {
  const change = (policy: NamedPolicy) =>
    policy.name === mutant.policy ? mutant.change(policy) : policy;
  return {
    ...policies,
    identity: policies.identity.map(change),
    resource: policies.resource && change(policies.resource),
  };
}

/** IAM refuses a policy without statements: it is as if there were none. */
function withoutEmpty({ identity, resource, ...rest }: Policies): Policies {
  const isFull = ({ document }: NamedPolicy) => document.Statement.length > 0;
  return {
    ...rest,
    identity: identity.filter(isFull),
    resource: resource !== undefined && isFull(resource) ? resource : undefined,
  };
}

/** Whether a request is decided in another way under the changed policy. */
export async function isKilled(mutant: Mutant): Promise<boolean> {
  for (const request of mutant.requests) {
    const policies = withoutEmpty(changePolicies(request.policies, mutant));
    if ((await evaluateRequest(policies, request)).result !== request.result) return true;
  }
  return false;
}

function appliesTo(request: DecidedRequest, policy: string, index: number): boolean {
  return request.statements.some((one) => one.policy === policy && one.index === index);
}

/** Each action of each statement, taken away. */
export function droppedActions(
  policies: readonly NamedPolicy[],
  decisions: readonly DecidedRequest[],
): readonly Mutant[] {
  return policies.flatMap((policy) =>
    statementsOf(policy).flatMap((statement, index) =>
      actionsOf(statement).map((action) => ({
        name: `${policy.name} without ${statement.Effect} ${action} (statement ${index})`,
        policy: policy.name,
        change: (original: NamedPolicy) =>
          withStatements(original, dropAction(original, index, action)),
        requests: decisions.filter((one) => appliesTo(one, policy.name, index)),
      })),
    ),
  );
}

function dropAction(policy: NamedPolicy, index: number, action: string): readonly object[] {
  return statementsOf(policy).flatMap((statement, at) => {
    if (at !== index) return [statement];
    const Action = actionsOf(statement).filter((one) => one !== action);
    return Action.length === 0 ? [] : [{ ...statement, Action }];
  });
}

/** Each key of each condition, taken away. */
export async function widenedConditions(
  policies: readonly NamedPolicy[],
  decisions: readonly DecidedRequest[],
): Promise<readonly Mutant[]> {
  const mutants: Mutant[] = [];
  for (const policy of policies) {
    for (const [index, statement] of statementsOf(policy).entries()) {
      for (const [operator, keys] of Object.entries(statement.Condition ?? {})) {
        for (const key of Object.keys(keys)) {
          const used = decisions.filter((one) => appliesTo(one, policy.name, index)).slice(0, 3);
          mutants.push({
            name: `${policy.name} without ${operator} ${key} (statement ${index})`,
            policy: policy.name,
            change: (original) => withStatements(original, dropKey(original, index, operator, key)),
            requests: await probe(used, key),
          });
        }
      }
    }
  }
  return mutants;
}

function dropKey(
  policy: NamedPolicy,
  index: number,
  operator: string,
  key: string,
): readonly object[] {
  return statementsOf(policy).map((statement: Statement, at) => {
    if (at !== index) return statement;
    const { [operator]: keys = {}, ...others } = statement.Condition ?? {};
    const { [key]: _, ...kept } = keys;
    const Condition = Object.keys(kept).length === 0 ? others : { ...others, [operator]: kept };
    const { Condition: __, ...rest } = statement;
    return Object.keys(Condition).length === 0 ? rest : { ...rest, Condition };
  });
}

/** The same requests with other values of one condition key, and without it, decided again. */
async function probe(
  requests: readonly DecidedRequest[],
  key: string,
): Promise<readonly DecidedRequest[]> {
  const probes = requests.flatMap((request) => {
    const { [key]: value, ...without } = request.context;
    const others = typeof value === 'string' ? ['other', '7', 'true'] : [['other']];
    return [without, ...others.map((other) => ({ ...without, [key]: other }))].map((context) => ({
      ...request,
      context,
    }));
  });
  return Promise.all(
    probes.map(async (one) => ({
      ...one,
      ...(await evaluateRequest(withoutEmpty(one.policies), one)),
    })),
  );
}

/** Each function with the role of each other function. */
export function swappedRoles(
  roles: readonly (readonly NamedPolicy[])[],
  decisions: readonly DecidedRequest[],
): readonly Mutant[] {
  return roles.flatMap(([own]) =>
    roles.flatMap(([other]) => {
      if (own === undefined || other === undefined || own === other) return [];
      return [
        {
          name: `${own.name} with the policy of ${other.name}`,
          policy: own.name,
          change: () => ({ ...other, name: own.name }),
          requests: decisions.filter((one) =>
            one.policies.identity.some(({ name }) => name === own.name),
          ),
        },
      ];
    }),
  );
}
