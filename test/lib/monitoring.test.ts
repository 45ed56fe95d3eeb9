// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions';
import { UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { keyMetricFunctions, keyMetrics } from '../../contract/key-metrics.ts';
import { restingMetrics } from '../../lab/bench/cost/resting-metrics.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { featureFlags } from '../../lib/feature-flags.ts';
import type { RegionStack } from '../../lib/region-stack.ts';
import { shippedFiles } from '../architecture/source-files.ts';
import {
  evaluate,
  propertiesOf,
  readConfigFile,
  resourcesOf,
  settingsOf,
  synthesise,
  withStubBundles,
} from './synthesise.ts';

const root = resolve(import.meta.dirname, '../..');
const prefix = 'authorization-server-slc-';

function regionOf(config: object): Template {
  return synthesise(config).templates['AuthorizationServer-slc'] as Template;
}

let template: Template;
beforeAll(() => {
  template = regionOf(readConfigFile('three-regions'));
});

function alarms(of = template): Readonly<Record<string, any>> {
  return Object.fromEntries(
    propertiesOf(of, 'AWS::CloudWatch::Alarm').map((properties) => [
      String(properties['AlarmName']).slice(prefix.length),
      evaluate(properties),
    ]),
  );
}

/** Of deployments: it wakes no one. */
const versionAlarm = 'version-refuses-clients';

/** Their rule has sent the event already. */
const ofEvents =
  /^(?:backup-|signing-key-(?:created|deletion-|disabled|foreign-|grant-|policy-|untagged))/;

describe('the alarms of a region', () => {
  it('tell the topic when they begin and when they end', () => {
    const all = Object.entries(alarms());
    const isSilent = (id: string) => id === versionAlarm || ofEvents.test(id);
    for (const [, silent] of all.filter(([id]) => isSilent(id))) {
      expect(silent.AlarmActions).toBeUndefined();
    }
    for (const [, alarm] of all.filter(([id]) => !isSilent(id))) {
      expect(alarm.AlarmActions).toEqual([expect.stringMatching(/^\{MonitoringAlarmTopic/)]);
      expect(alarm.OKActions).toEqual(alarm.AlarmActions);
    }
  });

  it('of keys have pages of their own that say what to do', () => {
    const own = Object.entries(alarms()).filter(([id, { AlarmDescription }]) =>
      AlarmDescription.endsWith(`docs/runbook/${id}.md`),
    );
    expect(own.length).toBeGreaterThan(10);
    for (const [id] of own) {
      const text = readFileSync(resolve(root, `docs/runbook/${id}.md`), 'utf8');
      expect(text).toMatch(new RegExp(`^# ${id}\n`));
      for (const part of ['What it means', 'Diagnosis', 'What to do']) {
        expect(text, id).toContain(`**${part}.**`);
      }
    }
  });

  it('warn at 60 % of the quota of Sign', () => {
    expect(alarms()['kms-sign-quota']).toMatchObject({
      Namespace: 'AWS/Usage',
      MetricName: 'CallCount',
      Dimensions: expect.arrayContaining([
        { Name: 'Service', Value: 'KMS' },
        { Name: 'Resource', Value: 'CryptographicOperationsRsa' },
      ]),
      Period: 60,
      Statistic: 'Sum',
      Threshold: 36_000,
    });
  });

  it('see a name of the issuer that does not lead to its keys', () => {
    expect(alarms()['issuer-check-failed']).toMatchObject({
      MetricName: 'IssuerCheckPassed',
      Dimensions: [{ Name: 'service', Value: 'synthetic-check' }],
      Statistic: 'Sum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 300,
      DatapointsToAlarm: 2,
      // A check that does not run has an alarm of its own.
      TreatMissingData: 'notBreaching',
    });
    const single = regionOf(readConfigFile('single-region'));
    expect(Object.keys(alarms(single))).not.toContain('issuer-check-failed');
    // The check emits the metric only if the region has another name than the issuer.
    const namesOf = (of: Template) => {
      const { Properties } = Object.values(resourcesOf(of, 'AWS::Lambda::Function')).find(
        ({ Properties: { FunctionName } }) => FunctionName.endsWith('-synthetic-check'),
      ) as any;
      const { issuer, tokenEndpoint } = settingsOf(Properties);
      return [issuer, tokenEndpoint].map((url) => String(url).split('/')[2]);
    };
    expect(namesOf(template)).toEqual(['auth.example.com', 'slc.auth.example.com']);
    expect(new Set(namesOf(single)).size).toBe(1);
  });

  it('count the requests that API Gateway throttles, from the access log', () => {
    const [filter] = Object.values(resourcesOf(template, 'AWS::Logs::MetricFilter')).filter(
      ({ Properties }) => Properties['FilterPattern'] === '{ $.error_type = "THROTTLED" }',
    );
    const { MetricName, Namespace } = alarms()['gateway-throttled'];
    expect(filter?.Properties['MetricTransformations']).toEqual([
      { MetricName, MetricNamespace: Namespace, MetricValue: '1' },
    ]);
    const [stage] = Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'));
    const log = stage?.Properties['AccessLogSetting'];
    expect(JSON.stringify(log.DestinationArn)).toContain(filter?.Properties['LogGroupName'].Ref);
    expect(JSON.parse(log.Format).error_type).toBe('$context.error.responseType');
  });

  it('say how urgent they are and the first two steps, for someone without the repository', () => {
    const all = Object.entries(alarms());
    for (const [id, { AlarmDescription: text }] of all) {
      expect(text, id).toMatch(
        /^(?:PAGE NOW|TICKET): .+ 1\. .+ 2\. .+ More: docs\/runbook\/\S+\.md$/,
      );
      // CloudWatch's limit, with a name of 40 characters of the deployment in each command.
      expect(text.length + 20 * 3, id).toBeLessThan(1024);
      // Nothing is left to fill in, and nothing leads to another page.
      expect(text, id).not.toMatch(/[{]deployment[}]|[{]function[}]|\]\(/);
    }
    const urgent = all.filter(([, { AlarmDescription: text }]) => text.startsWith('PAGE NOW'));
    expect(urgent.map(([id]) => id)).toContain('signing-key-untagged');
    const waiting = all.filter(([, { AlarmDescription: text }]) => text.startsWith('TICKET'));
    expect(waiting.map(([id]) => id).toSorted()).toEqual([
      'backup-failed',
      'canary-function-errors',
      'canary-function-throttled',
      'certificate-expiry',
      'client-secret-expiry',
      'key-rotation-function-errors',
      'key-rotation-function-throttled',
      'kms-sign-quota',
      'largest-client',
      'notices-missed',
      'signing-key-jwks-full',
      'signing-key-overdue',
      'signing-key-refused',
      'signing-key-removal-refused',
      'signing-key-rotation-missed',
      'synthetic-check-function-errors',
      'synthetic-check-function-throttled',
      'token-latency',
      'version-refuses-clients',
    ]);
  });

  it('are heard by no one without a subscription, and synthesis says so', () => {
    const warnings = (config: object, use?: (stack: RegionStack) => void): readonly string[] => {
      let found: readonly string[] = [];
      withStubBundles((bundles) => {
        const app = new App({ context: { ...featureFlags } });
        const parsed = parseDeploymentConfig(config);
        const { regions } = addAuthorizationServer(app, parsed, { bundles });
        const region = regions.slc as RegionStack;
        use?.(region);
        app.synth();
        found = Annotations.fromStack(region)
          .findWarning('*', Match.stringLikeRegexp('No one is notified of alarms'))
          .map(({ id }) => id);
      });
      return found;
    };
    const single = readConfigFile('single-region');
    expect(warnings(single)).toHaveLength(1);
    expect(warnings({ ...single, alarmEmails: ['on-call@example.com'] })).toEqual([]);
    const subscribed = warnings(single, ({ alarmTopic }) => {
      alarmTopic.addSubscription(new UrlSubscription('https://pager.example.com'));
    });
    expect(subscribed).toEqual([]);
  });

  it('are all in docs/runbook/README.md, with their pages, and no others', () => {
    const every = alarms(
      regionOf({
        ...readConfigFile('three-regions'),
        backup: {
          retentionDays: 7,
          copyToVaultArn: 'arn:aws:backup:us-west-2:444455556666:backup-vault:copies',
        },
      }),
    );
    const described = Object.entries(every).map(([id, { AlarmDescription }]) => {
      const [, text = '', page = ''] =
        /^(?:PAGE NOW|TICKET): (.+?) 1\. .+ More: docs\/runbook\/([\w-]+)\.md$/.exec(
          AlarmDescription,
        ) ?? [];
      const [, name] = /^(.+)-function-(?:errors|throttled)$/.exec(id) ?? [];
      return { id, text, page, name };
    });
    const groups = Map.groupBy(described, ({ name, id, page }) => (name === undefined ? id : page));
    const expected = [...groups].map(([id, same]) => {
      const [{ name, text, page } = { text: '', page: '' }] = same;
      if (name === undefined) return `| [\`${id}\`](${page}.md) | ${text} |`;
      const functions = same.map((each) => `\`${each.name}\``).toSorted();
      const shared = text.replace(`The ${name} function`, 'The function');
      return `| [\`{function}-${page}\`](${page}.md) | ${shared} Of ${functions.join(', ')}. |`;
    });
    const rows = readFileSync(resolve(root, 'docs/runbook/README.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| [`'));
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  it('have pages that name only log fields that exist, and no dashboard', () => {
    // The key rotation makes its outcomes of the action and its end.
    const logged = [
      'withdraw_refused',
      ...shippedFiles().map((file) => readFileSync(file, 'utf8')),
    ].join('\n');
    const pages = readdirSync(resolve(root, 'docs/runbook')).map(
      (page) => [page, readFileSync(resolve(root, 'docs/runbook', page), 'utf8')] as const,
    );
    const wrong = pages.flatMap(([page, text]) => {
      const fields = [...text.matchAll(/(?<=[`\s(])(?<! as )[a-z]+(?:_[a-z]+)+(?=[`\s,)])/g)].map(
        String,
      );
      return [
        ...(page === 'README.md' ? [] : [...text.matchAll(/\bDashboard\b/g)].map(String)),
        ...fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(logged)),
      ].map((name) => `${page}: ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('tell of a client that takes half of an instance, unless no one is limited', () => {
    expect(alarms()['largest-client']).toMatchObject({
      MetricName: 'LargestClientShare',
      Dimensions: [{ Name: 'service', Value: 'token' }],
      Statistic: 'Maximum',
      Threshold: 50,
    });
    const off = { ...readConfigFile('three-regions'), fairShare: { mode: 'off' } };
    expect(alarms(regionOf(off))).not.toHaveProperty('largest-client');
  });

  it('tell of a secret in use that expires within a week', () => {
    expect(alarms()['client-secret-expiry']).toMatchObject({
      MetricName: 'SecretDaysLeft',
      Dimensions: [{ Name: 'service', Value: 'token' }],
      Statistic: 'Minimum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 7,
      Period: 86_400,
      TreatMissingData: 'notBreaching',
    });
  });

  it('look at the namespace in which the functions of the deployment report', () => {
    const reported = propertiesOf(template, 'AWS::Lambda::Function').flatMap(
      (properties) => properties['Environment']?.Variables.AUTH_METRIC_NAMESPACE ?? [],
    );
    expect(new Set(reported)).toEqual(new Set(['AuthorizationServer/authorization-server']));
    const own = Object.values(alarms()).flatMap((alarm) =>
      [alarm, ...(alarm.Metrics ?? []).map((one: any) => one.MetricStat?.Metric ?? {})]
        .map(({ Namespace }) => Namespace)
        .filter((namespace) => namespace !== undefined && !namespace.startsWith('AWS/')),
    );
    expect(new Set(own)).toEqual(new Set(reported));
  });

  it('read each metric that has a value at rest: no other is worth its price', () => {
    const read = new Set(
      Object.values(alarms()).flatMap(({ MetricName, Metrics = [] }) => [
        MetricName,
        ...Metrics.map((one: any) => one.MetricStat?.Metric.MetricName),
      ]),
    );
    const resting = Object.values(restingMetrics).flat();
    expect(resting.filter((name) => !read.has(name))).toEqual([]);
  });

  it('take nothing for a bad value unless the metric has a value at rest', () => {
    for (const [id, { MetricName, TreatMissingData }] of Object.entries(alarms())) {
      // Once a day, and the alarm looks at 26 hours.
      if (TreatMissingData !== 'breaching' || id === 'notices-missed') continue;
      expect(Object.values(restingMetrics).flat(), id).toContain(MetricName);
    }
  });

  it('look at each key metric if its function emits it', () => {
    for (const metric of Object.values(keyMetrics)) {
      const found = Object.values(alarms()).find(({ MetricName }) => MetricName === metric);
      expect(found?.Dimensions).toEqual([{ Name: 'service', Value: keyMetricFunctions[metric] }]);
    }
  });
});

describe('calls to KMS', () => {
  function rules(): readonly any[] {
    return propertiesOf(template, 'AWS::Events::Rule')
      .map((properties) => evaluate(properties))
      .filter(({ EventPattern }) => EventPattern !== undefined);
  }

  function rule(eventName: string): any {
    return rules().find(({ EventPattern }) => EventPattern.detail.eventName?.includes(eventName));
  }

  it.each([
    'DisableKey',
    'ScheduleKeyDeletion',
    'PutKeyPolicy',
    'CreateGrant',
    'CreateKey',
    'Sign',
    'UntagResource',
    'TagResource',
  ])('%s is seen, also if CloudTrail counts it as a read', (eventName) => {
    expect(rule(eventName)).toMatchObject({
      State: 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS',
      EventPattern: {
        source: ['aws.kms'],
        'detail-type': ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: expect.arrayContaining([eventName]),
        },
      },
    });
  });

  it('reach the topic', () => {
    const calls = rules().filter(({ EventPattern }) => EventPattern.source[0] === 'aws.kms');
    expect(calls).toHaveLength(7);
    for (const { Targets } of rules()) {
      expect(Targets).toEqual([
        expect.objectContaining({ Arn: expect.stringMatching(/^\{MonitoringAlarmTopic/) }),
      ]);
    }
  });
});

describe('the topic', () => {
  it('takes messages only over TLS, from the alarms of this account and from EventBridge', () => {
    const [policy] = Object.values(resourcesOf(template, 'AWS::SNS::TopicPolicy'));
    const statements = policy?.Properties['PolicyDocument'].Statement as readonly any[];
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.map(({ Principal }) => Principal.Service)).toEqual([
      'cloudwatch.amazonaws.com',
      'events.amazonaws.com',
    ]);
    // EventBridge sends no condition keys to SNS: a condition would refuse its messages.
    expect(allowed.map(({ Condition }) => Condition && evaluate(Condition))).toEqual([
      { StringEquals: { 'aws:SourceAccount': '111122223333' } },
      undefined,
    ]);
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  });

  it('tells the addresses of the config', () => {
    const subscriptions = Object.values(resourcesOf(template, 'AWS::SNS::Subscription'));
    expect(subscriptions.map(({ Properties }) => Properties['Endpoint'])).toEqual([
      'oncall@example.com',
    ]);
  });
});

describe('a new version of a function', () => {
  it('gets a tenth of the requests first, and goes back on an alarm', () => {
    const groups = Object.values(resourcesOf(template, 'AWS::CodeDeploy::DeploymentGroup'));
    expect(groups.map(({ Properties }) => Properties['DeploymentGroupName'])).toEqual([
      'token',
      'discovery',
      'jwks',
    ]);
    for (const { Properties } of groups) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: { Enabled: true },
        AlarmConfiguration: { Enabled: true },
      });
      expect(Properties['AlarmConfiguration'].Alarms).toHaveLength(3);
    }
  });

  it('goes back on alarms that can go off within its five minutes', () => {
    const named = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup').flatMap((properties) =>
      properties['AlarmConfiguration'].Alarms.map((one: any) => one.Name.Ref),
    );
    const all = resourcesOf(template, 'AWS::CloudWatch::Alarm');
    for (const id of new Set<string>(named)) {
      const { Period, Metrics, DatapointsToAlarm, EvaluationPeriods } = all[id]?.Properties ?? {};
      const period = Period ?? Metrics[1].MetricStat.Period;
      expect(period * (DatapointsToAlarm ?? EvaluationPeriods), id).toBeLessThan(300);
    }
  });

  it('goes back if it refuses most requests for any reason, regardless of the old one', () => {
    const alarm = alarms()[versionAlarm];
    expect(alarm.Metrics[0].Expression).toBe(
      'IF(FILL(refused, 0) >= 5 AND FILL(refused, 0) >= FILL(issued, 0), 1, 0)',
    );
    for (const { MetricStat } of alarm.Metrics.slice(1)) {
      expect(MetricStat.Metric.Dimensions).toEqual([
        {
          Name: 'function_version',
          Value: expect.stringMatching(/^\{FunctionsTokenHandlerCurrent/),
        },
      ]);
    }
    const filters = Object.values(resourcesOf(template, 'AWS::Logs::MetricFilter')).filter(
      ({ Properties }) => Properties['MetricTransformations'][0].Dimensions !== undefined,
    );
    expect(
      filters.map(({ Properties }) => [
        Properties['MetricTransformations'][0].MetricName,
        Properties['FilterPattern'],
      ]),
    ).toEqual([
      ['VersionIssued', '{ ($.function_version = "*") && ($.outcome = "issued") }'],
      [
        'VersionRefused',
        '{ ($.function_version = "*") && ($.path = "/api/v1/oauth/token") && ($.status >= 400) && ($.status < 500) }',
      ],
    ]);
    for (const { Properties } of filters) {
      const [found] = Properties['MetricTransformations'];
      expect(found.Dimensions).toEqual([{ Key: 'function_version', Value: '$.function_version' }]);
      const metric = alarm.Metrics.find(
        ({ MetricStat }: any) => MetricStat?.Metric.MetricName === found.MetricName,
      );
      expect(metric.MetricStat.Metric.Namespace).toBe(found.MetricNamespace);
    }
  });

  it('is live at once if the config does not ask for that', () => {
    const { templates } = synthesise(readConfigFile('single-region'));
    const single = templates['AuthorizationServer-slc'] as Template;
    expect(resourcesOf(single, 'AWS::CodeDeploy::DeploymentGroup')).toEqual({});
    const aliases = Object.keys(resourcesOf(single, 'AWS::Lambda::Alias'));
    expect(aliases.filter((id) => id.includes('Live'))).toHaveLength(3);
  });
});

describe('reserved concurrency', () => {
  it('is what the config says, and nothing if it says nothing', () => {
    const reserved = Object.fromEntries(
      propertiesOf(template, 'AWS::Lambda::Function').map((properties) => [
        properties['FunctionName'],
        properties['ReservedConcurrentExecutions'],
      ]),
    );
    expect(reserved).toMatchObject({
      'authorization-server-token': 400,
      'authorization-server-discovery': 200,
      'authorization-server-jwks': 200,
      'authorization-server-canary': undefined,
    });
  });
});

describe('reserved concurrency that is less than a tenth of a throttle', () => {
  function warnings(config: object): readonly string[] {
    const { app } = synthesise(config);
    return app.node
      .findChild('AuthorizationServer-slc')
      .node.metadata.filter(({ type }) => type === 'aws:cdk:warning')
      .map(({ data }) => String(data))
      .filter((text) => text.startsWith('reservedConcurrency'));
  }

  it('is not in the examples', () => {
    expect(warnings(readConfigFile('three-regions'))).toEqual([]);
    expect(warnings(readConfigFile('single-region'))).toEqual([]);
  });

  it('is a warning, because Lambda throttles before API Gateway does', () => {
    const reservedConcurrency = { token: 79, discovery: 199, jwks: 200 };
    expect(warnings({ ...readConfigFile('three-regions'), reservedConcurrency })).toEqual([
      expect.stringContaining(
        'reservedConcurrency.discovery: received 199; allowed: 200 or more for the throttle of 2000 requests a second, because Lambda serves at most 10 a second for each execution',
      ),
    ]);
  });
});

describe('the dashboard', () => {
  const withDashboard = () => ({ ...readConfigFile('three-regions'), dashboard: 'on' });

  it('shows outcomes, latencies, quota, tables and keys', () => {
    const [dashboard] = Object.values(
      resourcesOf(regionOf(withDashboard()), 'AWS::CloudWatch::Dashboard'),
    );
    const { widgets } = JSON.parse(evaluate(dashboard?.Properties['DashboardBody']));
    const shown = JSON.stringify(widgets);
    for (const metric of ['IssuerCheckPassed', 'GatewayThrottled']) expect(shown).toContain(metric);
    expect(widgets.map(({ properties }: any) => properties.title)).toEqual([
      'Alarms of slc',
      'Alarms of dfw',
      'Alarms of pit',
      'Token requests a minute, by outcome',
      'Time in the token function, ms',
      'API: requests and errors a minute',
      'Functions: concurrency, and errors and throttles a minute',
      'KMS: signatures a minute, and the quota',
      'DynamoDB: time to answer, ms, and throttles a minute',
      'Signing keys: runs of the rotation, failures of the canary',
      'Signing keys: seconds overdue',
      'Synthetic check: passed',
      'Secrets in use near their expiry: least days left; the largest client: % of new tokens',
    ]);
  });

  it('is one for all regions: it has the alarms of each, and a field selects the graphs', () => {
    const { templates } = synthesise(withDashboard());
    const regions = ['slc', 'dfw', 'pit'].map(
      (id) => templates[`AuthorizationServer-${id}`] as Template,
    );
    const dashboards = regions.map((one) =>
      Object.values(resourcesOf(one, 'AWS::CloudWatch::Dashboard')),
    );
    expect(dashboards.map(({ length }) => length)).toEqual([1, 0, 0]);
    const [[dashboard] = []] = dashboards;
    const { DashboardName, DashboardBody } = (dashboard as any).Properties;
    const { variables, widgets } = JSON.parse(evaluate(DashboardBody));
    expect(evaluate(DashboardName)).toBe('authorization-server');
    expect(variables).toEqual([
      expect.objectContaining({
        type: 'property',
        property: 'region',
        defaultValue: 'us-west-2',
        values: [
          { label: 'slc', value: 'us-west-2' },
          { label: 'dfw', value: 'us-east-2' },
          { label: 'pit', value: 'us-east-1' },
        ],
      }),
    ]);
    for (const [index, one] of regions.entries()) {
      const known = propertiesOf(one, 'AWS::CloudWatch::Alarm').map(
        (properties) => properties['AlarmName'],
      );
      const shown: readonly string[] = widgets[index].properties.alarms;
      expect(shown.length).toBeGreaterThan(40);
      expect(shown.filter((arn) => !known.includes(arn.split(':').at(-1)))).toEqual([]);
      expect(shown[0]).toContain(`:${variables[0].values[index].value}:`);
    }
  });
});
