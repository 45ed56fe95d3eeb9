import { Stack, type StackProps } from 'aws-cdk-lib';
import {
  EventBus,
  EventField,
  type IEventBus,
  Rule,
  RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface NoticesByMailProps extends StackProps {
  /** `name` of the deployment's config. */
  readonly deploymentName: string;
  /** Addresses by service trunk group. Each address must confirm its subscription. */
  readonly customers: Readonly<Record<string, readonly string[]>>;
}

const detail = (member: string) => EventField.fromPath(`$.detail.${member}`);

/**
 * The sentence of each kind of notice. It names what the customer sees in the portal, and has no
 * link: a mail with a link to a login teaches people to follow one.
 */
const sentences = [
  {
    id: 'Secret',
    type: 'Credential Approaching Expiration',
    only: { credential: ['client_secret'] },
    text: `Secret ${detail('secret_id')} of client ${detail('client_name')} expires at ${detail('expires_at')}: create a new one, and use it from then on.`,
  },
  {
    id: 'ApiKey',
    type: 'Credential Approaching Expiration',
    only: { credential: ['api_key'] },
    text: `API key ${detail('key_name')} (${detail('key_id')}) expires at ${detail('expires_at')}.`,
  },
  {
    id: 'Unused',
    type: 'Credential Unused',
    only: {},
    text: `Secret ${detail('secret_id')} of client ${detail('client_name')} was not used for 90 days: delete it if no one needs it.`,
  },
  {
    id: 'Change',
    type: 'Management Change',
    only: {},
    text: `${detail('actor')} made the change ${detail('action')} of ${detail('subject')} at ${detail('changed_at')}.`,
  },
] as const;

/**
 * Sends the notices of the authorization server's daily run as mail, each customer its own. Deploy
 * it into the account and the region of the first region's stack.
 */
export class NoticesByMail extends Stack {
  constructor(scope: Construct, id: string, props: NoticesByMailProps) {
    super(scope, id, props);
    const bus = EventBus.fromEventBusName(this, 'Bus', `${props.deploymentName}-notices`);
    for (const [trunkGroup, addresses] of Object.entries(props.customers)) {
      const topic = new Topic(this, `Topic-${trunkGroup}`, { enforceSSL: true });
      for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
      this.addRules(bus, trunkGroup, topic);
    }
  }

  private addRules(bus: IEventBus, trunkGroup: string, topic: Topic): void {
    for (const { id, type, only, text } of sentences) {
      const rule = new Rule(this, `${id}-${trunkGroup}`, {
        eventBus: bus,
        eventPattern: {
          source: ['authorization-server'],
          detailType: [type],
          detail: { service_trunk_group: [trunkGroup], ...only },
        },
      });
      rule.addTarget(new SnsTopic(topic, { message: RuleTargetInput.fromText(text) }));
    }
  }
}
