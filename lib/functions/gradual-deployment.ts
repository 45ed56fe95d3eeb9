import { Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { HttpFunctionName } from '../../contract/routes.ts';

export interface GradualDeploymentProps {
  readonly deploymentName: string;
  readonly aliases: Readonly<Record<HttpFunctionName, Alias>>;
  /** When any of them fires while a version is new, the old version comes back. */
  readonly alarms: readonly IAlarm[];
}

/**
 * Gives a new version of a function a tenth of the requests for five minutes, and then all of them
 * if no alarm has fired.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, props: GradualDeploymentProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application', {
      applicationName: props.deploymentName,
    });
    const role = this.addRole();
    for (const [name, alias] of Object.entries(props.aliases)) {
      new LambdaDeploymentGroup(this, name, {
        application,
        deploymentGroupName: name,
        alias,
        role,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [...props.alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
    }
  }

  private addRole(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      description: 'Shifts requests between two versions of a function',
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason:
        "CodeDeploy's own policy for Lambda, the limited one: it reads alarms and moves aliases.",
    });
    return role;
  }
}
