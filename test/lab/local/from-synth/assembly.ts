import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TemplateResource } from '../../../../lab/local/from-synth/assembly.ts';

type Resources = Readonly<Record<string, TemplateResource>>;

/** Writes what `cdk synth` would write of these stacks; the folder goes with the test. */
export function writeAssembly(stacks: Readonly<Record<string, Resources>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const write = (name: string, content: unknown) =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  const artifacts = Object.keys(stacks).map((name) => [
    name,
    {
      type: 'aws:cloudformation:stack',
      environment: 'aws://unknown-account/us-west-2',
      properties: { templateFile: `${name}.template.json` },
    },
  ]);
  write('manifest.json', { artifacts: Object.fromEntries(artifacts) });
  for (const [name, resources] of Object.entries(stacks)) {
    write(`${name}.template.json`, { Resources: resources });
    write(`${name}.assets.json`, {
      files: {
        abc: {
          source: { path: 'asset.abc', packaging: 'zip' },
          destinations: { here: { objectKey: 'abc.zip' } },
        },
        template: {
          source: { path: `${name}.template.json`, packaging: 'file' },
          destinations: { here: { objectKey: 'template.json' } },
        },
      },
    });
  }
  mkdirSync(join(directory, 'asset.abc'));
  return directory;
}

/** A function with an alias, and one route to it. */
export const oneRoute: Resources = {
  Table: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      TableName: 'test-audit',
      KeySchema: [
        { AttributeName: 'day', KeyType: 'HASH' },
        { AttributeName: 'record_id', KeyType: 'RANGE' },
      ],
    },
  },
  Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'test-role' } },
  Fn: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      FunctionName: 'test-token',
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      MemorySize: 512,
      Timeout: 10,
      Code: { S3Bucket: { 'Fn::Sub': 'assets-${AWS::AccountId}' }, S3Key: 'abc.zip' },
      Environment: {
        Variables: {
          TABLE: { Ref: 'Table' },
          ISSUER: {
            'Fn::Join': [
              '',
              [
                'https://',
                { Ref: 'Api' },
                '.execute-api.us-west-2.',
                { Ref: 'AWS::URLSuffix' },
                '/live',
              ],
            ],
          },
        },
      },
    },
  },
  Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Fn' }, Name: 'live' } },
  Provider: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Handler: 'x',
      Runtime: 'nodejs24.x',
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    },
  },
  Api: { Type: 'AWS::ApiGateway::RestApi', Properties: {} },
  Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'live' } },
  Health: {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, PathPart: 'health' },
  },
  Deep: {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { ParentId: { Ref: 'Health' }, PathPart: 'deep' },
  },
  Any: {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      HttpMethod: 'ANY',
      ResourceId: { Ref: 'Deep' },
      Integration: {
        Uri: {
          'Fn::Join': [
            '',
            [
              'arn:aws:apigateway:us-west-2:lambda:path/2015-03-31/functions/',
              { Ref: 'Live' },
              '/invocations',
            ],
          ],
        },
      },
    },
  },
};
