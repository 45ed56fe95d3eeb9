import { CfnResource, type CustomResource, Validations } from 'aws-cdk-lib';
import { Trigger } from 'aws-cdk-lib/triggers';
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
 */
export class FirstSigningKey extends Construct {
  constructor(scope: Construct, id: string, props: FirstSigningKeyProps) {
    super(scope, id);
    const { keyRotation, token, all, live } = props.functions;
    const trigger = new Trigger(this, 'Trigger', {
      handler: keyRotation.handler,
      timeout: rotationTimeout,
      executeAfter: [
        ...props.after,
        // Not the whole constructs of the functions, because they contain the aliases.
        ...all.flatMap(({ handler, role, logGroup }) => [handler, role, logGroup]),
      ],
      executeBefore: Object.values(live),
    });
    askAgainFor(trigger, token.handler.currentVersion.functionArn);
    Validations.of(keyRotation.handler).acknowledge({
      id: 'Annotation::@aws-cdk/aws-lambda:addPermissionsToVersionOrAlias',
      reason: 'The trigger invokes a version and is granted it; the schedule invokes the function.',
    });
  }
}

/** A trigger runs when any property of its resource changes. */
function askAgainFor(trigger: Trigger, tokenVersionArn: string): void {
  const resource = trigger.node.defaultChild as CustomResource;
  const { defaultChild } = resource.node;
  if (!CfnResource.isCfnResource(defaultChild)) throw new Error('a trigger without a resource');
  defaultChild.addPropertyOverride('TokenVersionArn', tokenVersionArn);
}
