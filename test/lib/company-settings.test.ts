// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import { describe, expect, it } from 'vitest';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { evaluate, propertiesOf, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

describe("a company's settings", () => {
  const encryptionKeyArn =
    'arn:aws:kms:us-west-2:111122223333:key/11111111-2222-3333-4444-555555555555';
  const config = {
    ...readConfigFile('single-region'),
    portal: portalConfig,
    webAcl: { tokenRequestsPerFiveMinutes: 2000 },
    regions: { slc: { awsRegion: 'us-west-2', encryptionKeyArn } },
    logRetentionDays: 1827,
    dashboard: 'off',
    functionReports: 'failures',
  };
  const { templates } = synthesise(config, { checked: true });
  const all = (type: string, of = templates) =>
    Object.values(of).flatMap((template) => Object.values(resourcesOf(template, type)));

  it('are of every log, topic and secret', () => {
    const logs = all('AWS::Logs::LogGroup');
    expect(logs.length).toBeGreaterThan(10);
    for (const { Properties } of logs) {
      expect(Properties).toMatchObject({ RetentionInDays: 1827, KmsKeyId: encryptionKeyArn });
    }
    const topics = all('AWS::SNS::Topic').map(({ Properties }) => Properties['KmsMasterKeyId']);
    const secrets = all('AWS::SecretsManager::Secret').map(
      ({ Properties }) => Properties['KmsKeyId'],
    );
    expect([topics, secrets]).toEqual([[encryptionKeyArn], [encryptionKeyArn]]);
  });

  it('let the portal decrypt its two secrets, through Secrets Manager', () => {
    const statements = all('AWS::IAM::Policy').flatMap(
      ({ Properties }) => evaluate(Properties['PolicyDocument'].Statement) as any[],
    );
    expect(statements.filter(({ Resource }) => Resource === encryptionKeyArn)).toEqual([
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: encryptionKeyArn,
        Condition: {
          StringEquals: {
            'kms:ViaService': ['secretsmanager.us-west-2.amazonaws.com'],
            'kms:EncryptionContext:SecretARN': [
              expect.stringContaining('SessionKey'),
              portalConfig.login.clientSecretArn,
            ],
          },
        },
      },
    ]);
  });

  it('leave X-Ray off, with its permissions, unless they turn it on', () => {
    const text = JSON.stringify(Object.values(templates).map((template) => template.toJSON()));
    expect(text).not.toContain('xray:');
    for (const { Properties } of all('AWS::Lambda::Function')) {
      expect(Properties['TracingConfig']).toBeUndefined();
    }
    for (const { Properties } of all('AWS::ApiGateway::Stage')) {
      expect(Properties['TracingEnabled']).toBe(false);
    }
    const { templates: traced } = synthesise({ ...config, tracing: 'on' });
    for (const { Properties } of all('AWS::Lambda::Function', traced)) {
      expect(Properties['TracingConfig']).toEqual({ Mode: 'Active' });
    }
    for (const { Properties } of all('AWS::ApiGateway::Stage', traced)) {
      expect(Properties['TracingEnabled']).toBe(true);
    }
  });

  it('leave the dashboard out, and no alarm with it', () => {
    expect(all('AWS::CloudWatch::Dashboard')).toEqual([]);
    const { templates: shown } = synthesise({ ...config, dashboard: 'on' });
    expect(all('AWS::CloudWatch::Dashboard', shown)).toHaveLength(1);
    const alarmsOf = (of: typeof templates) =>
      all('AWS::CloudWatch::Alarm', of).map(({ Properties }) => evaluate(Properties));
    expect(alarmsOf(templates)).toEqual(alarmsOf(shown));
  });

  it("leave Lambda's reports of what succeeds out of the logs of functions that answer requests", () => {
    const quiet = all('AWS::Lambda::Function')
      .filter(({ Properties }) => Properties['LoggingConfig']?.SystemLogLevel !== undefined)
      .map(({ Properties }) => [
        String(Properties['FunctionName']).replace('authorization-server-', ''),
        Properties['LoggingConfig'].SystemLogLevel,
      ]);
    expect(quiet).toEqual([
      ['token', 'WARN'],
      ['discovery', 'WARN'],
      ['jwks', 'WARN'],
    ]);
  });
});

describe('executions that are reserved for a portal', () => {
  const reservedOf = (config: object) => {
    const { templates } = synthesise({ ...readConfigFile('three-regions'), ...config });
    return Object.fromEntries(
      Object.entries(templates).flatMap(([stack, template]) =>
        propertiesOf(template, 'AWS::Lambda::Function')
          .map((properties) => properties)
          .filter(({ FunctionName: name }) => /-(portal|management)$/.test(name))
          .map(({ FunctionName: name, ReservedConcurrentExecutions: count }) => [
            `${stack} ${name}`,
            count,
          ]),
      ),
    );
  };
  const [name, management] = ['authorization-server-portal', 'authorization-server-management'];

  it.each([
    ['its region has 60 for the function that decides', {}, 50, 60],
    ['it may have others', { reservedConcurrency: 10 }, 10, 60],
  ])('%s', (_case, added, ofPortal, ofManagement) => {
    expect(reservedOf({ portal: { ...portalConfig, ...added } })).toEqual({
      [`AuthorizationServer-portal ${name}`]: ofPortal,
      [`AuthorizationServer-slc ${management}`]: ofManagement,
      [`AuthorizationServer-dfw ${management}`]: undefined,
      [`AuthorizationServer-pit ${management}`]: undefined,
    });
  });

  it.each([
    ['none without a portal', undefined, undefined],
    ['what the config says', 7, 7],
    ['none if it says so', 'none', undefined],
  ])('are %s', (_case, value, expected) => {
    const reservedConcurrency = value === undefined ? {} : { management: value };
    expect(Object.values(reservedOf({ reservedConcurrency }))).toEqual([
      expected,
      expected,
      expected,
    ]);
  });
});
