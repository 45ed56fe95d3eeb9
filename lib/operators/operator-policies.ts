import { Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { functionName, operatorPolicyName } from '../../contract/function-names.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { TableKey } from '../../contract/tables.ts';
import type { ServiceTables } from '../data/service-tables.ts';

export interface OperatorPoliciesProps {
  readonly deploymentName: string;
  readonly regionId: RegionId;
  readonly tables: ServiceTables;
}

type TableActions = Readonly<Partial<Record<TableKey, readonly string[]>>>;

interface OperatorGroup {
  readonly description: string;
  readonly tables: TableActions;
  /** Whether the group asks the key rotation to act, which alone changes keys. */
  readonly rotates?: boolean;
}

const find = ['GetItem'];
const list = ['GetItem', 'Scan'];
const change = ['GetItem', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'];
/** Appends: the audit's records have ids of their own and are never written again. */
const append = ['PutItem'];

/** What each group of `authctl` commands needs, by the last part of its policy's name. */
const operatorGroups: Readonly<Record<string, OperatorGroup>> = {
  'read-only': {
    description: 'authctl: list, show and explain; no change of anything',
    tables: {
      clients: list,
      apiKeys: list,
      identityProviders: list,
      signingKeys: ['GetItem', 'Query'],
      audit: ['Query'],
    },
  },
  clients: {
    description: 'authctl client, client-secret',
    tables: { clients: change, identityProviders: find, audit: append },
  },
  'api-keys': {
    description: 'authctl api-key, api-key-subnet',
    tables: { apiKeys: change, audit: append },
  },
  'identity-providers': {
    description: 'authctl provider; deleting one with --cascade deletes its clients',
    tables: {
      identityProviders: change,
      clients: ['GetItem', 'Scan', 'DeleteItem'],
      audit: append,
    },
  },
  'signing-keys': {
    description: 'authctl signing-key: the rotation acts, the operator only asks',
    tables: { signingKeys: ['GetItem', 'Query'], audit: ['Query'] },
    rotates: true,
  },
};

/**
 * Managed policies for the people who run the service, so that what somebody may do is granted by
 * name. Nobody needs more than these for everyday work; none lets write the signing keys.
 */
export class OperatorPolicies extends Construct {
  private readonly props: OperatorPoliciesProps;

  constructor(scope: Construct, id: string, props: OperatorPoliciesProps) {
    super(scope, id);
    this.props = props;
    for (const [name, group] of Object.entries(operatorGroups)) this.addPolicy(name, group);
  }

  private addPolicy(name: string, group: OperatorGroup): void {
    new ManagedPolicy(this, name, {
      managedPolicyName: operatorPolicyName(this.props.deploymentName, this.props.regionId, name),
      description: group.description,
      statements: [...this.tableStatements(group.tables), ...this.rotationStatements(group)],
    });
  }

  private tableStatements(actions: TableActions): PolicyStatement[] {
    return (Object.entries(actions) as [TableKey, readonly string[]][]).map(
      ([table, names]) =>
        new PolicyStatement({
          actions: names.map((name) => `dynamodb:${name}`),
          resources: [this.props.tables[table].tableArn],
        }),
    );
  }

  private rotationStatements(group: OperatorGroup): PolicyStatement[] {
    if (group.rotates !== true) return [];
    const rotation = Stack.of(this).formatArn({
      service: 'lambda',
      resource: `function:${functionName(this.props.deploymentName, 'key-rotation')}`,
    });
    return [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [rotation] })];
  }
}
