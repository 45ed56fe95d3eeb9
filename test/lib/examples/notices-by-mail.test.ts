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

const template = Template.fromStack(
  new NoticesByMail(new App(), 'Notices', {
    deploymentName: 'authorization-server',
    sender: 'notices@example.com',
  }),
);

interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

type Handler = (event: object) => Promise<void>;

// The example is JavaScript, so that Lambda runs the file as it is.
const { createHandler } = (await import(
  new URL('../../../examples/notices/mailer/mail-notice.mjs', import.meta.url).href
)) as {
  createHandler: (ports: {
    findAddresses: (trunkGroup: string) => Promise<readonly string[]>;
    sendMail: (mail: Mail) => Promise<void>;
  }) => Handler;
};

const addresses: Readonly<Record<string, readonly string[]>> = {
  'tg-1001': ['ada@example.com'],
  'tg-2002': ['bob@example.com', 'eve@example.com'],
};

async function mailsOf(type: string, detail: object): Promise<readonly Mail[]> {
  const mails: Mail[] = [];
  const handler = createHandler({
    findAddresses: async (trunkGroup) => addresses[trunkGroup] ?? [],
    sendMail: async (mail) => void mails.push(mail),
  });
  await handler({ source: noticeSource, 'detail-type': type, detail });
  return mails;
}

/** Each member of the kinds of notices, with a text that says which it is. */
const details = Object.entries(noticeDetails).flatMap(([kind, detail]) =>
  ('options' in detail ? detail.options : [detail]).map(({ entries }) => {
    const texts = Object.keys(entries).map((name): [string, unknown] => [name, `the ${name}`]);
    const { credential } = entries as { credential?: { literal: string } };
    const named = { credential: credential?.literal, service_trunk_group: 'tg-1001' };
    const type = noticeTypes[kind as keyof typeof noticeTypes];
    return { type, detail: { ...Object.fromEntries(texts), ...named, service_trunk_groups: [] } };
  }),
);

describe('the example of notices by mail', () => {
  it('has one rule on the bus of the deployment, however many customers there are', () => {
    const rules = Object.values(template.findResources('AWS::Events::Rule'));
    expect(rules).toMatchObject([
      {
        Properties: {
          EventBusName: noticeBusName('authorization-server'),
          EventPattern: { source: [noticeSource] },
        },
      },
    ]);
  });

  it.each(details)('says what $type of $detail.credential is about', async (notice) => {
    const [mail, ...more] = await mailsOf(notice.type, notice.detail);
    expect(more).toEqual([]);
    expect(mail?.to).toEqual(['ada@example.com']);
    expect(mail?.text).not.toContain('undefined');
    expect(mail?.text.match(/the (expires_at|secret_id|subject)/)).not.toBeNull();
  });

  it('sends a name with quotes as it is', async () => {
    const [expiring] = details;
    const detail = { ...expiring?.detail, client_name: 'Acme "prod" \\ \u2028' };
    const [mail] = await mailsOf(noticeTypes.expiring, detail);
    expect(mail?.text).toContain('of client Acme "prod" \\ \u2028 expires');
  });

  it.each([
    ['a customer without addresses', { service_trunk_group: 'tg-3003' }, []],
    ['a change that concerns every customer', {}, []],
    [
      'a provider of two customers: a mail for each',
      { service_trunk_groups: ['tg-1001', 'tg-2002'] },
      [['ada@example.com'], ['bob@example.com', 'eve@example.com']],
    ],
  ])('knows %s', async (_case, owner, expected) => {
    const mails = await mailsOf(noticeTypes.change, { version: 1, ...owner });
    expect(mails.map(({ to }) => to)).toEqual(expected);
  });

  it('ignores a kind that it does not know', async () => {
    expect(await mailsOf('Of A Later Release', { service_trunk_group: 'tg-1001' })).toEqual([]);
  });

  it('may read an item of its table, and send mail from one address', () => {
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties['PolicyDocument'].Statement as { Action: unknown }[],
    );
    expect(statements.map(({ Action }) => Action)).toEqual([
      expect.arrayContaining(['sqs:SendMessage']),
      'dynamodb:GetItem',
      'ses:SendEmail',
    ]);
    expect(statements[2]).toMatchObject({
      Condition: { StringEquals: { 'ses:FromAddress': 'notices@example.com' } },
    });
  });
});
