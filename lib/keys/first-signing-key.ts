import { CustomResource, Duration, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { rotationTimeout, type ServiceFunctions } from '../functions/service-functions.ts';

export interface FirstSigningKeyProps {
  readonly functions: ServiceFunctions;
  /** Resources that must exist before a key can be created and used. */
  readonly after: readonly Construct[];
}

/**
 * Runs the key rotation during a deployment. It ends when the newest code of the token function
 * signs: a successful deployment issues tokens, and only then the aliases move. It runs again when
 * the code or the settings of the rotation or of the token function change. When the stack is
 * deleted, it does nothing.
 *
 * CloudFormation itself invokes the function. The CDK's trigger would use a role that the stack
 * makes, and gives up after a minute if IAM does not know the role's policy.
 */
export class FirstSigningKey extends Construct {
  constructor(scope: Construct, id: string, { functions, after }: FirstSigningKeyProps) {
    super(scope, id);
    const { keyRotation, token, all, live } = functions;
    const firstKey = new CustomResource(this, 'Default', {
      resourceType: 'Custom::FirstSigningKey',
      serviceToken: keyRotation.handler.functionArn,
      // Longer than the function runs, and much shorter than CloudFormation's hour.
      serviceTimeout: rotationTimeout.plus(Duration.minutes(1)),
      // CloudFormation invokes the function when a property changes.
      properties: {
        RotationVersion: keyRotation.handler.currentVersion.functionArn,
        TokenVersion: token.handler.currentVersion.functionArn,
      },
    });
    firstKey.node.addDependency(
      ...after,
      // Not the whole constructs of the functions, because they contain the aliases.
      ...all.flatMap(({ handler, role, logGroup }) => [handler, role, logGroup]),
    );
    for (const alias of Object.values(live)) alias.node.addDependency(firstKey);
    Validations.of(keyRotation.handler).acknowledge({
      id: 'Annotation::@aws-cdk/aws-lambda:addPermissionsToVersionOrAlias',
      reason: 'CloudFormation and the schedule invoke the function. No caller invokes a version.',
    });
  }
}
