import { join } from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface NoticesByMailProps extends StackProps {
  /** `name` of the deployment's config. */
  readonly deploymentName: string;
  /** The address that mails come from, of an identity that is verified in SES. */
  readonly sender: string;
}

/**
 * Sends the notices of the authorization server's daily run as mail, each customer its own. One rule
 * invokes one function, which looks up the addresses, so a further customer is an item of the table
 * and no deployment: `service_trunk_group`, and `addresses` as a string set. Deploy it into the
 * account and the region of the first region's stack.
 */
export class NoticesByMail extends Stack {
  constructor(scope: Construct, id: string, props: NoticesByMailProps) {
    super(scope, id, props);
    const addresses = new TableV2(this, 'Addresses', {
      partitionKey: { name: 'service_trunk_group', type: AttributeType.STRING },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    new CfnOutput(this, 'AddressesTable', { value: addresses.tableName });
    new Rule(this, 'Notices', {
      eventBus: EventBus.fromEventBusName(this, 'Bus', `${props.deploymentName}-notices`),
      eventPattern: { source: ['authorization-server'] },
      targets: [new LambdaFunction(this.addMailer(addresses, props.sender))],
    });
  }

  private addMailer(addresses: TableV2, sender: string): Lambda {
    const mailer = new Lambda(this, 'Mailer', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromAsset(join(import.meta.dirname, 'mailer')),
      timeout: Duration.seconds(60),
      environment: { ADDRESSES_TABLE: addresses.tableName, SENDER: sender },
      // A notice that three attempts could not send stays here for two weeks.
      onFailure: new SqsDestination(
        new Queue(this, 'NotSent', { enforceSSL: true, retentionPeriod: Duration.days(14) }),
      ),
    });
    addresses.grant(mailer, 'dynamodb:GetItem');
    mailer.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        resources: [this.formatArn({ service: 'ses', resource: 'identity', resourceName: '*' })],
        conditions: { StringEquals: { 'ses:FromAddress': sender } },
      }),
    );
    return mailer;
  }
}
