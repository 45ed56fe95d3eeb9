import { describe, expect, it } from 'vitest';
import { findHarm } from '../../../lab/support/template-changes/find-harm.ts';
import type { Template, TemplateResource } from '../../../lab/support/template-changes/template.ts';

type Resources = Readonly<Record<string, TemplateResource>>;

const index = (name: string, attribute = name) => ({
  IndexName: name,
  KeySchema: [{ AttributeName: attribute, KeyType: 'HASH' }],
  Projection: { ProjectionType: 'ALL' },
});

function table(...indexes: readonly object[]): TemplateResource {
  return {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: { TableName: 'clients', GlobalSecondaryIndexes: indexes },
  };
}

const replicated = (...withPolicy: readonly boolean[]): TemplateResource => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    TableName: 'clients',
    Replicas: withPolicy.map((has, at) => ({
      Region: `region-${at}`,
      ...(has && { ResourcePolicy: { PolicyDocument: {} } }),
    })),
  },
});

const vault: TemplateResource = {
  Type: 'AWS::Backup::BackupVault',
  Properties: { BackupVaultName: 'service' },
};
const domain: TemplateResource = {
  Type: 'AWS::ApiGateway::DomainName',
  Properties: { DomainName: 'auth.example.com', SecurityPolicy: 'TLS_1_2' },
};
const topic: TemplateResource = {
  Type: 'AWS::SNS::Topic',
  Properties: { TopicName: 'service-alarms' },
};
const policy: TemplateResource = {
  Type: 'AWS::IAM::ManagedPolicy',
  Properties: { ManagedPolicyName: 'operator', Description: 'Reads', PolicyDocument: {} },
};
const alarm: TemplateResource = {
  Type: 'AWS::CloudWatch::Alarm',
  Properties: { AlarmName: 'errors', Threshold: 1 },
};
const restApi: TemplateResource = { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'api' } };
const stage: TemplateResource = {
  Type: 'AWS::ApiGateway::Stage',
  Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1' },
};
const healthCheck = (interval: number): TemplateResource => ({
  Type: 'AWS::Route53::HealthCheck',
  Properties: { HealthCheckConfig: { Type: 'HTTPS', RequestInterval: interval } },
});
const permission = (source: string): TemplateResource => ({
  Type: 'AWS::Lambda::Permission',
  Properties: { FunctionName: { Ref: 'Function' }, SourceArn: source },
});

function change(
  { Type, Properties }: TemplateResource,
  properties: Readonly<Record<string, unknown>>,
): TemplateResource {
  return { Type, Properties: { ...Properties, ...properties } };
}

function findIn(before: Resources, after: Resources, outputs?: Template['Outputs']) {
  return findHarm(
    { Resources: before, ...(outputs && { Outputs: outputs }) },
    { Resources: after },
  );
}

describe('an update is refused', () => {
  it.each<[string, Resources, Resources, string]>([
    [
      'that removes a backup vault',
      { Vault: vault },
      {},
      'AWS::Backup::BackupVault, named service: is removed',
    ],
    [
      'that gives a backup vault another logical id',
      { Vault: vault },
      { OtherVault: vault },
      'AWS::Backup::BackupVault, named service: is removed',
    ],
    [
      'that changes the description of a named policy',
      { Policy: policy },
      { Policy: change(policy, { Description: 'Looks' }) },
      'AWS::IAM::ManagedPolicy, named operator: is replaced, because of Description',
    ],
    [
      'that makes a table one of another type',
      { Table: table() },
      { Table: { ...table(), Type: 'AWS::DynamoDB::Table' } },
      'AWS::DynamoDB::GlobalTable, named clients: is replaced, because its type becomes AWS::DynamoDB::Table',
    ],
    [
      'that replaces what a stage belongs to',
      { Api: restApi, Stage: stage },
      { OtherApi: restApi, Stage: change(stage, { RestApiId: { Ref: 'OtherApi' } }) },
      'AWS::ApiGateway::Stage, named v1: is replaced, because of RestApiId',
    ],
    [
      'that adds two indexes to one table',
      { Table: table() },
      { Table: table(index('a'), index('b')) },
      'AWS::DynamoDB::GlobalTable: 2 indexes change; allowed: one in each update',
    ],
    [
      'that creates a table with policies in several regions',
      {},
      { Table: replicated(true, true) },
      'AWS::DynamoDB::GlobalTable: new replicas with a policy: region-0, region-1',
    ],
    [
      'that adds a replica with a policy',
      { Table: replicated(true) },
      { Table: replicated(true, true) },
      'AWS::DynamoDB::GlobalTable: new replicas with a policy: region-1',
    ],
  ])('%s', (_, before, after, what) => {
    expect(findIn(before, after).map((harm) => harm.what)).toContain(what);
  });

  it('that replaces what an output names', () => {
    const outputs = { Check: { Value: { 'Fn::Sub': '${Check.HealthCheckId}' } } };
    expect(findIn({ Check: healthCheck(30) }, { Check: healthCheck(10) }, outputs)).toEqual([
      {
        logicalId: 'Check',
        what: 'AWS::Route53::HealthCheck, named in an output: is replaced, because of HealthCheckConfig/RequestInterval',
      },
    ]);
  });

  it('if a type is not known, with the command that adds it', () => {
    const queue = { Type: 'AWS::Unknown::Thing' };
    expect(() => findIn({ Queue: queue }, { Queue: queue })).toThrow(
      'lab/tools/resource-types AWS::Unknown::Thing',
    );
  });
});

describe('an update is allowed', () => {
  it.each<[string, Resources, Resources]>([
    ['that changes nothing', { Vault: vault, Topic: topic }, { Vault: vault, Topic: topic }],
    [
      'that changes a property in place',
      { Alarm: alarm, Domain: domain },
      { Alarm: change(alarm, { Threshold: 2 }), Domain: change(domain, { SecurityPolicy: 'x' }) },
    ],
    ['that adds a named resource', {}, { Topic: topic }],
    ['that adds one index', { Table: table(index('a')) }, { Table: table(index('a'), index('b')) }],
    ['that creates a table with a policy in one region', {}, { Table: replicated(true) }],
    [
      'that gives policies to replicas that exist',
      { Table: replicated(false, false) },
      { Table: replicated(true, true) },
    ],
    ['that replaces what has no name', { P: permission('a') }, { P: permission('b') }],
    ['that replaces a health check', { Check: healthCheck(30) }, { Check: healthCheck(10) }],
  ])('%s', (_, before, after) => {
    expect(findIn(before, after)).toEqual([]);
  });
});
