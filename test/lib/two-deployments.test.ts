import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { metricNamespace } from '../../contract/request-metrics.ts';
import { evaluate, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

/** Properties by which a resource is known in its account and AWS region. */
const physicalNames: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::RestApi': 'Name',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::WAFv2::WebACL': 'Name',
};

function deployment(name: string) {
  const webAcl = { tokenRequestsPerFiveMinutes: 1000 };
  const { templates } = synthesise({
    ...readConfigFile('single-region'),
    name,
    webAcl,
    dashboard: 'on',
  });
  const [stackName = '', template] = Object.entries(templates)[0] ?? [];
  const names = Object.values(resourcesOf(template as Template)).flatMap(({ Type, Properties }) => {
    const given = evaluate(Properties?.[physicalNames[Type] ?? ''] ?? '');
    // A name with a reference in it, shown as `{id}`, is unique as the resource is.
    const isFixed = typeof given === 'string' && /^[^{]+$/.test(given);
    return isFixed ? [`${Type} ${given}`] : [];
  });
  return { stackName, names, text: JSON.stringify(evaluate(template?.toJSON())) };
}

describe('two deployments in one account and AWS region', () => {
  const first = deployment('authorization-server');
  const second = deployment('blue');

  it('are stacks of different names, so that neither replaces the other', () => {
    expect([first.stackName, second.stackName]).toEqual(['AuthorizationServer-slc', 'blue-slc']);
  });

  it('share no name of a resource', () => {
    const types = new Set(first.names.map((name) => name.split(' ')[0]));
    expect(types).toEqual(new Set(Object.keys(physicalNames)));
    expect(first.names.filter((name) => second.names.includes(name))).toEqual([]);
  });

  it('share no metric', () => {
    expect(first.text).toContain(metricNamespace('authorization-server'));
    expect(second.text).toContain(metricNamespace('blue'));
    expect(second.text).not.toContain(metricNamespace('authorization-server'));
  });
});
