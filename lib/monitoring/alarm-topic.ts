import { Aws, Validations } from 'aws-cdk-lib';
import { type Conditions, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

export interface AlarmTopicProps {
  readonly deploymentName: string;
  readonly emails: readonly string[];
}

/** Name of the topic in each region. */
export function alarmTopicName(deploymentName: string): string {
  return `${deploymentName}-alarms`;
}

/** The topic for the alarms of one region. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmTopicProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', {
      topicName: alarmTopicName(props.deploymentName),
      enforceSSL: true,
    });
    // Without the condition, CloudWatch would publish for any account that knows the topic.
    this.allowPublish('AlarmsOfThisAccount', 'cloudwatch.amazonaws.com', {
      StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
    });
    // EventBridge sends no condition keys when it publishes, so that a condition would refuse every
    // message: "Troubleshooting Amazon EventBridge" of its user guide.
    this.allowPublish('Rules', 'events.amazonaws.com');
    for (const email of props.emails) this.topic.addSubscription(new EmailSubscription(email));
    this.acknowledge();
  }

  private allowPublish(sid: string, service: string, conditions?: Conditions): void {
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid,
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        principals: [new ServicePrincipal(service)],
        ...(conditions !== undefined && { conditions }),
      }),
    );
  }

  private acknowledge(): void {
    Validations.of(this.topic).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries an email automatically, and an alarm stays on until its cause is removed.',
    });
  }
}
