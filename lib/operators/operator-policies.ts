import { RemovalPolicy } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { functionName, operatorPolicyName } from '../../contract/function-names.ts';
import { onlyItems } from '../../contract/list-condition.ts';
import {
  type OperatorGroup,
  type OperatorGroupName,
  operatorGroups,
} from '../../contract/operator-permissions.ts';
import { partitionOf } from '../../contract/partitions.ts';
import type { RegionId } from '../../contract/regions.ts';
import { deployedTableName, restoredTableName, type TableKey } from '../../contract/tables.ts';
import type { ServiceTables } from '../data/service-tables.ts';
import { functionArn, namedTableArn } from '../functions/service-function.ts';

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: ReturnType<typeof onlyItems>;
}

/** A policy document of IAM, as JSON. */
export interface OperatorDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

/**
 * Characters of a managed policy, without white space:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html, November 2026.
 */
export const maxPolicyCharacters = 6144;

/** Attached only while they are needed, so they are in no document with others. */
const temporary: ReadonlySet<string> = new Set(['restore-operator', 'break-glass-operator']);

/** ARNs of a region. */
interface RegionArns {
  readonly table: (key: TableKey) => string;
  readonly restoredTable: (key: TableKey) => string;
  /** @param name may have an alias: IAM compares the ARN that the caller names. */
  readonly function: (name: string) => string;
}

/** What a group may do in a region. */
function statementsOf(group: OperatorGroup, arns: RegionArns): readonly Statement[] {
  const allow = (Action: readonly string[], resource: string): Statement => ({
    Effect: 'Allow',
    Action,
    Resource: [resource],
  });
  const { alias, partitions = {}, restoredTables = [] } = group;
  const aliases = alias === undefined ? [] : [`management:${alias}`];
  return [
    ...(Object.entries(group.tables) as [TableKey, readonly string[]][]).map(([key, actions]) => {
      const keys = partitions[key];
      return {
        ...allow(actions, arns.table(key)),
        ...(keys !== undefined && { Condition: onlyItems(...keys) }),
      };
    }),
    ...restoredTables.map((key) => allow(['dynamodb:Scan'], arns.restoredTable(key))),
    ...[...group.functions, ...aliases].map((name) =>
      allow(['lambda:InvokeFunction'], arns.function(name)),
    ),
  ];
}

/** The same in every region. */
function permissionsOf(
  group: OperatorGroup,
  config: DeploymentConfig,
  account: string,
): readonly Statement[] {
  return deployedRegions(config).flatMap(({ awsRegion }) => {
    const arn = (service: string, resource: string): string =>
      `arn:${partitionOf(awsRegion).id}:${service}:${awsRegion}:${account}:${resource}`;
    return statementsOf(group, {
      table: (key) => arn('dynamodb', `table/${deployedTableName(config, key)}`),
      restoredTable: (key) => arn('dynamodb', `table/${restoredTableName(config.name, key)}`),
      function: (name) =>
        arn('lambda', `function:${functionName(config.name, name as 'management')}`),
    });
  });
}

/** One statement for each set of actions with its condition. */
function merge(statements: readonly Statement[]): readonly Statement[] {
  const merged = new Map<string, Statement>();
  for (const one of statements) {
    const key = JSON.stringify([one.Action, one.Condition]);
    const resources = [...(merged.get(key)?.Resource ?? []), ...one.Resource];
    merged.set(key, { ...one, Resource: [...new Set(resources)] });
  }
  return [...merged.values()];
}

function lengthOf(document: OperatorDocument): number {
  return JSON.stringify(document).length;
}

/** As many documents as IAM's limit needs: statements one after another, long ones in halves. */
function split(statements: readonly Statement[]): readonly OperatorDocument[] {
  const document: OperatorDocument = { Version: '2012-10-17', Statement: statements };
  if (lengthOf(document) <= maxPolicyCharacters) return [document];
  if (statements.length > 1) {
    const half = Math.ceil(statements.length / 2);
    return [...split(statements.slice(0, half)), ...split(statements.slice(half))];
  }
  return statements.flatMap((one) => {
    const half = Math.ceil(one.Resource.length / 2);
    const parts = [one.Resource.slice(0, half), one.Resource.slice(half)];
    return parts.flatMap((Resource) => split([{ ...one, Resource }]));
  });
}

/**
 * Policy documents for all regions of a config, to attach in place of a policy for each region and
 * group: IAM lets a role have ten. `operators` has every group of everyday work, and each group has
 * one of its own. A document that would be too long is split: `operators-1`, `operators-2`.
 *
 * @param account the id, or a word that is replaced before the document is used.
 */
export function operatorDocuments(
  config: DeploymentConfig,
  account: string,
): Readonly<Record<string, OperatorDocument>> {
  const groups = Object.entries<OperatorGroup>(operatorGroups);
  const everyday = groups.filter(([name]) => !temporary.has(name));
  const memberships: readonly (readonly [string, readonly OperatorGroup[]])[] = [
    ['operators', everyday.map(([, group]) => group)],
    ...groups.map(([name, group]) => [name, [group]] as const),
  ];
  const documents = memberships.flatMap(([name, members]) => {
    const parts = split(merge(members.flatMap((group) => permissionsOf(group, config, account))));
    return parts.map(
      (part, at) => [parts.length === 1 ? name : `${name}-${at + 1}`, part] as const,
    );
  });
  return Object.fromEntries(documents);
}

/** A policy for each group of operators. */
export type OperatorPolicies = Readonly<Record<OperatorGroupName, ManagedPolicy>>;

/**
 * Managed policies for operators, granted by name. They are enough for everyday work. None of them
 * allows writing signing keys.
 */
export function addOperatorPolicies(
  scope: Construct,
  deploymentName: string,
  regionId: RegionId,
  tables: ServiceTables,
): OperatorPolicies {
  const arns: RegionArns = {
    table: (key) => tables[key].tableArn,
    restoredTable: (key) => namedTableArn(scope, restoredTableName(deploymentName, key)),
    function: (named) => functionArn(scope, deploymentName, named as 'management'),
  };
  const policies = Object.entries(operatorGroups).map(([name, group]) => {
    const policy = new ManagedPolicy(scope, name, {
      managedPolicyName: operatorPolicyName(deploymentName, regionId, name),
      description: group.description,
      statements: statementsOf(group, arns).map((one) => PolicyStatement.fromJson(one)),
    });
    // IAM deletes no policy that a person has, and a stack is not deleted without its policies.
    policy.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return [name, policy] as const;
  });
  return Object.fromEntries(policies) as Record<OperatorGroupName, ManagedPolicy>;
}
