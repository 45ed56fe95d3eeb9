import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate, propertiesOf, readConfigFile, synthesise } from './synthesise.ts';

interface Transformer {
  readonly InputPathsMap?: Readonly<Record<string, string>>;
  readonly InputTemplate: string;
}

interface AlarmRule {
  readonly description: string;
  readonly pattern: {
    readonly source: readonly string[];
    readonly 'detail-type': readonly string[];
    readonly detail: Readonly<Record<string, unknown>>;
  };
  readonly transformer: Transformer;
}

let rules: readonly AlarmRule[];
beforeAll(() => {
  const copyToVaultArn = 'arn:aws:backup:us-west-2:444455556666:backup-vault:copies';
  const { templates } = synthesise({
    ...readConfigFile('three-regions'),
    backup: { retentionDays: 7, copyToVaultArn },
  });
  const template = templates['AuthorizationServer-slc'] as Template;
  rules = propertiesOf(template, 'AWS::Events::Rule')
    .filter((properties) => properties['EventPattern'] !== undefined)
    .map((properties) => ({
      description: String(properties['Description']),
      pattern: evaluate(properties['EventPattern']),
      transformer: evaluate(properties['Targets'][0].InputTransformer),
    }));
});

function find(event: object, path: string): unknown {
  const names = path.replace(/^\$\.?/, '').split('.');
  return names.reduce<unknown>(
    (value, name) => (name === '' ? value : (value as Record<string, unknown> | null)?.[name]),
    event,
  );
}

/**
 * What EventBridge makes of a template: a variable whose path is not in the event does not appear
 * in the output, a value in the place of a JSON value is JSON, and a value inside of a string is
 * inserted as it is.
 */
function render({ InputPathsMap = {}, InputTemplate }: Transformer, event: object): string {
  const variable = (name: string): unknown =>
    name === 'aws.events.event.json' ? event : find(event, InputPathsMap[name] ?? '$.none');
  const inText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return InputTemplate.replace(/"(?:\\.|[^"\\])*"|<[^<>]*>/g, (token) => {
    if (token.startsWith('<')) return JSON.stringify(variable(token.slice(1, -1))) ?? '';
    return token.replace(/<([^<>]*)>/g, (_, name: string) => inText(variable(name)) ?? '');
  });
}

const envelope = {
  version: '0',
  id: '710b0398-d48e-f3c3-afca-cfeb2fdaa656',
  account: '111122223333',
  time: '2026-07-29T20:15:26Z',
  region: 'us-west-2',
  resources: [],
};

const call = (detail: object) => ({
  ...envelope,
  'detail-type': 'AWS API Call via CloudTrail',
  source: 'aws.kms',
  detail: { eventSource: 'kms.amazonaws.com', eventName: 'Sign', ...detail },
});

const job = (detail: object) => ({
  ...envelope,
  'detail-type': 'Backup Job State Change',
  source: 'aws.backup',
  detail,
});

const someone = { userIdentity: { type: 'AssumedRole', arn: 'arn:aws:sts::111122223333:x' } };

const events: readonly (readonly [string, object])[] = [
  [
    'a call that was refused',
    call({ ...someone, errorCode: 'AccessDenied', requestParameters: { keyId: 'arn:aws:kms:k' } }),
  ],
  ['a call that names no key', call({ ...someone, requestParameters: { keySpec: 'RSA_2048' } })],
  ['a call without parameters', call({ ...someone, requestParameters: null })],
  ['a call of an AWS service', call({ userIdentity: { type: 'AWSService' } })],
  [
    'a value with quotes and line breaks',
    job({ state: 'FAILED', statusMessage: '"Backup job failed\nbecause …"' }),
  ],
  ['a job without a message', job({ state: 'EXPIRED' })],
];

describe('the message of an alarm on an event', () => {
  it.each(events)('is JSON with all that is known of %s', (_, event) => {
    expect(rules.length).toBeGreaterThan(6);
    for (const { transformer, description } of rules) {
      const message = JSON.parse(render(transformer, event)) as Record<string, string>;
      expect(message['event']).toEqual(event);
      expect(description).toBe(message['description']);
      expect(message['severity']).toMatch(/^(?:PAGE NOW|TICKET)$/);
      expect(message['steps']).toMatch(/^1\. .* 2\. /);
      expect(message['alarm']).toMatch(/^[a-z-]+$/);
    }
  });
});

describe('failed backups', () => {
  const detailOf = (detailType: string) =>
    rules.find(({ pattern }) => pattern['detail-type'][0] === detailType)?.pattern.detail;

  it('are those of this vault, with any outcome, and copies of them', () => {
    expect(detailOf('Backup Job State Change')).toEqual({
      state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
      backupVaultName: ['authorization-server'],
    });
    expect(detailOf('Copy Job State Change')).toEqual({
      state: ['FAILED', 'PARTIAL'],
      sourceBackupVaultArn: [expect.stringMatching(/^\{BackupVault\w+\}\.BackupVaultArn$/)],
    });
  });
});
