import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/** 62 letters and digits each: 381 bits. */
const length = 64;

/**
 * The secret that the keys of sealed cookies are made of. Secrets Manager draws it. It has no name
 * of its own, because a deleted name is taken for a week.
 */
export class SessionKey extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Seals the sessions of the portal',
      generateSecretString: { passwordLength: length, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason:
        'One command rotates it, and the version before is still read (docs/portal.md). A function that rotates it would be able to read and write it.',
    });
  }
}
