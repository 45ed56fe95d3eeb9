import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { operatorPolicyName } from '../../contract/function-names.ts';
import { onlyItems } from '../../contract/list-condition.ts';
import {
  type OperatorGroup,
  type OperatorGroupName,
  operatorGroups,
} from '../../contract/operator-permissions.ts';
import type { RegionId } from '../../contract/regions.ts';
import { restoredTableName, type TableKey } from '../../contract/tables.ts';
import type { ServiceTables } from '../data/service-tables.ts';
import { functionArn } from '../functions/service-function.ts';

export interface OperatorPoliciesProps {
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
