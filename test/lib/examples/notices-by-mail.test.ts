import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import {
  noticeBusName,
  noticeDetails,
  noticeSource,
  noticeTypes,
} from '../../../contract/notices.ts';
import { NoticesByMail } from '../../../examples/notices/notices-by-mail.ts';
import { type EventPattern, matchesEvent } from '../../support/event-pattern.ts';

const template = Template.fromStack(
  new NoticesByMail(new App(), 'Notices', {
    deploymentName: 'authorization-server',
    customers: { 'tg-1001': ['ada@example.com'], 'tg-2002': ['bob@example.com'] },
  }),
);

interface RuleProperties {
  readonly EventBusName: unknown;
  readonly EventPattern: EventPattern;
  readonly Targets: readonly {
    readonly Arn: { readonly Ref: string };
    readonly InputTransformer: {
      readonly InputPathsMap: Readonly<Record<string, string>>;
      readonly InputTemplate: string;
    };
  }[];
}

const rules = Object.values(template.findResources('AWS::Events::Rule')).map(
  ({ Properties }) => Properties as RuleProperties,
);

function eventOf(type: string, trunkGroup: string, credential: string) {
  return {
    source: noticeSource,
    'detail-type': type,
    detail: { service_trunk_group: trunkGroup, credential },
  };
}

describe('the example of notices by mail', () => {
  it('listens on the bus of the deployment', () => {
    for (const { EventBusName } of rules) {
      expect(EventBusName).toBe(noticeBusName('authorization-server'));
    }
  });

  it.each([
    [noticeTypes.expiring, 'client_secret'],
    [noticeTypes.expiring, 'api_key'],
    [noticeTypes.unused, 'client_secret'],
    [noticeTypes.change, 'none'],
  ])('sends %s of %s to the customer, and to no other', (type, credential) => {
    const topicsOf = (trunkGroup: string) =>
      rules
        .filter((rule) => matchesEvent(rule.EventPattern, eventOf(type, trunkGroup, credential)))
        .flatMap(({ Targets }) => Targets.map(({ Arn }) => Arn.Ref));
    const [own, other] = [topicsOf('tg-1001'), topicsOf('tg-2002')];
    expect([own.length, other.length]).toEqual([1, 1]);
    expect(own).not.toEqual(other);
    expect(topicsOf('tg-3003')).toEqual([]);
  });

  it('reads only members that the notices have', () => {
    const members = Object.values(noticeDetails).flatMap((detail) =>
      ('options' in detail ? detail.options : [detail]).flatMap(({ entries }) =>
        Object.keys(entries),
      ),
    );
    for (const { EventPattern: pattern, Targets } of rules) {
      for (const { InputTransformer } of Targets) {
        const read = Object.values(InputTransformer.InputPathsMap);
        expect(read.length).toBeGreaterThan(0);
        for (const path of read) expect(members).toContain(path.replace('$.detail.', ''));
      }
      expect(members).toEqual(expect.arrayContaining(Object.keys(pattern['detail'] ?? {})));
    }
  });

  it('subscribes each address to the topic of its customer', () => {
    const subscribed = Object.values(template.findResources('AWS::SNS::Subscription')).map(
      ({ Properties }) => String(Properties['Endpoint']),
    );
    expect(new Set(subscribed)).toEqual(new Set(['ada@example.com', 'bob@example.com']));
  });
});
