import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { functionName, operatorPolicyName } from '../../contract/function-names.ts';
import { onlyItems } from '../../contract/list-condition.ts';
import {
  type OperatorGroup,
  type OperatorGroupName,
  operatorGroups,
} from '../../contract/operator-permissions.ts';
import type { RegionId } from '../../contract/regions.ts';
import { deployedTableName, restoredTableName, type TableKey } from '../../contract/tables.ts';
import type { ServiceTables } from '../data/service-tables.ts';
import { functionArn } from '../functions/service-function.ts';

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

function partitionOf(awsRegion: string): string {
  if (awsRegion.startsWith('cn-')) return 'aws-cn';
  return awsRegion.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/** Each set of actions, what it is for, and its condition, in every region. */
function permissionsOf(
  group: OperatorGroup,
  config: DeploymentConfig,
  account: string,
): readonly Statement[] {
  const perRegion = deployedRegions(config).map(({ awsRegion }) => {
    const arn = (service: string, resource: string): string =>
      `arn:${partitionOf(awsRegion)}:${service}:${awsRegion}:${account}:${resource}`;
    const allow = (Action: readonly string[], resource: string): Statement => ({
      Effect: 'Allow',
      Action,
      Resource: [resource],
    });
    const table = (name: string): string => arn('dynamodb', `table/${name}`);
    const aliases = group.alias === undefined ? [] : [`management:${group.alias}` as const];
    return [
      ...(Object.entries(group.tables) as [TableKey, readonly string[]][]).map(
        ([key, actions]): Statement => {
          const partitions = group.partitions?.[key];
          return {
            ...allow(actions, table(deployedTableName(config, key))),
            ...(partitions !== undefined && { Condition: onlyItems(...partitions) }),
          };
        },
      ),
      ...(group.restoredTables ?? []).map((key) =>
        allow(['dynamodb:Scan'], table(restoredTableName(config.name, key))),
      ),
      ...[...group.functions, ...aliases].map((name) => {
        const full = functionName(config.name, name as 'management');
        return allow(['lambda:InvokeFunction'], arn('lambda', `function:${full}`));
      }),
    ];
  });
  return perRegion.flat();
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

interface OperatorPoliciesProps {
  readonly deploymentName: string;
  readonly regionId: RegionId;
  readonly tables: ServiceTables;
}

/** Groups that release 0.2.0 does not have. */
const laterGroups: ReadonlySet<string> = new Set(['break-glass-operator']);

/**
 * Managed policies for operators, granted by name. They are enough for everyday work. None of them
 * allows writing signing keys.
 */
export class OperatorPolicies extends Construct {
  readonly policies: Readonly<Record<OperatorGroupName, ManagedPolicy>>;
  private readonly props: OperatorPoliciesProps;

  constructor(scope: Construct, id: string, props: OperatorPoliciesProps) {
    super(scope, id);
    this.props = props;
    const policies = Object.entries(operatorGroups).map(
      ([name, group]) => [name, this.addPolicy(name, group)] as const,
    );
    this.policies = Object.fromEntries(policies) as Record<OperatorGroupName, ManagedPolicy>;
  }

  private addPolicy(name: string, group: OperatorGroup): ManagedPolicy {
    const policy = new ManagedPolicy(this, name, {
      managedPolicyName: operatorPolicyName(this.props.deploymentName, this.props.regionId, name),
      description: group.description,
      statements: [
        ...this.tableStatements(group),
        ...this.restoredTableStatements(group),
        ...this.functionStatements(group),
        ...this.aliasStatements(group),
      ],
    });
    // IAM deletes no policy that a person has, and a stack is not deleted without its policies. The
    // way back to 0.2.0 takes a later policy out of the stack: no deployment could import it again.
    if (!laterGroups.has(name)) policy.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return policy;
  }

  private tableStatements({ tables, partitions = {} }: OperatorGroup): PolicyStatement[] {
    return (Object.entries(tables) as [TableKey, readonly string[]][]).map(([table, actions]) => {
      const keys = partitions[table];
      return new PolicyStatement({
        actions: [...actions],
        resources: [this.props.tables[table].tableArn],
        ...(keys !== undefined && { conditions: onlyItems(...keys) }),
      });
    });
  }

  private restoredTableStatements({ restoredTables = [] }: OperatorGroup): PolicyStatement[] {
    return restoredTables.map((table) => {
      const resource = `table/${restoredTableName(this.props.deploymentName, table)}`;
      return new PolicyStatement({
        actions: ['dynamodb:Scan'],
        resources: [Stack.of(this).formatArn({ service: 'dynamodb', resource })],
      });
    });
  }

  private aliasStatements({ alias }: OperatorGroup): PolicyStatement[] {
    if (alias === undefined) return [];
    // The exact alias: IAM compares the ARN that the caller names.
    const arn = `${functionArn(this, this.props.deploymentName, 'management')}:${alias}`;
    return [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [arn] })];
  }

  private functionStatements(group: OperatorGroup): PolicyStatement[] {
    return group.functions.map(
      (name) =>
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [functionArn(this, this.props.deploymentName, name)],
        }),
    );
  }
}
