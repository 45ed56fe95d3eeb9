import { Validations } from 'aws-cdk-lib';
import { Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import { rotationTimeout, type ServiceFunctions } from '../functions/service-functions.ts';

export interface FirstSigningKeyProps {
  readonly functions: ServiceFunctions;
  /** What must exist before a key can be made and used. */
  readonly after: readonly Construct[];
}

/**
 * Runs the key rotation during deployment, which ends when the token function signs: a deployment
 * that has succeeded issues tokens. Runs again when the rotation's code or settings change, and
 * does nothing when the stack is deleted.
 */
export class FirstSigningKey extends Construct {
  constructor(scope: Construct, id: string, props: FirstSigningKeyProps) {
    super(scope, id);
    const { keyRotation, all } = props.functions;
    new Trigger(this, 'Trigger', {
      handler: keyRotation.handler,
      timeout: rotationTimeout,
      executeAfter: [...props.after, ...all],
    });
    Validations.of(keyRotation.handler).acknowledge({
      id: 'Annotation::@aws-cdk/aws-lambda:addPermissionsToVersionOrAlias',
      reason: 'The trigger invokes a version and is granted it; the schedule invokes the function.',
    });
  }
}
