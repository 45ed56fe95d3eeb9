import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalRunError } from '../../../../lab/emulator/loopback-server.ts';
import { readAssembly, type TemplateResource } from '../../../../lab/local/from-synth/assembly.ts';
import { Resolver } from '../../../../lab/local/from-synth/resolver.ts';
import { readStackContents } from '../../../../lab/local/from-synth/stack-contents.ts';
import { oneRoute, writeAssembly } from './assembly.ts';

function contentsOf(resources: Readonly<Record<string, TemplateResource>>) {
  return readStackContents(readAssembly(writeAssembly({ Stack: resources })));
}

function withProperties(id: string, properties: Readonly<Record<string, unknown>>) {
  const resource = oneRoute[id] as TemplateResource;
  return {
    ...oneRoute,
    [id]: { ...resource, Properties: { ...resource.Properties, ...properties } },
  };
}

describe('what the local run takes from a stack', () => {
  it('is its tables, functions, routes and addresses', () => {
    const directory = writeAssembly({ Stack: oneRoute });
    expect(readStackContents(readAssembly(directory))).toEqual({
      awsRegion: 'us-west-2',
      tables: [{ name: 'test-audit', partitionKey: 'day', sortKey: 'record_id' }],
      functions: new Map([
        [
          'test-token',
          {
            name: 'test-token',
            directory: join(directory, 'asset.abc'),
            handler: 'index.handler',
            memoryMb: 512,
            timeoutMs: 10_000,
            isTraced: false,
            variables: {
              TABLE: 'test-audit',
              ISSUER: 'https://local.execute-api.us-west-2.amazonaws.com/live',
            },
          },
        ],
      ]),
      routes: new Map([['/health/deep', 'test-token']]),
      integrations: new Map([
        ['/health/deep', 'arn:aws:lambda:us-west-2:000000000000:function:test-token:live'],
      ]),
      policies: expect.objectContaining({ permissions: [], managed: new Map() }),
      addresses: ['https://local.execute-api.us-west-2.amazonaws.com/live'],
    });
  });

  it('counts the names of domains among the addresses', () => {
    const Properties = { DomainName: 'auth.example.com' };
    const resources = { ...oneRoute, D: { Type: 'AWS::ApiGateway::DomainName', Properties } };
    expect(contentsOf(resources).addresses).toContain('https://auth.example.com');
  });

  it.each([
    ['another runtime', withProperties('Fn', { Runtime: 'python3.13' }), 'cannot run here'],
    ['code that is not there', withProperties('Fn', { Code: { S3Key: 'gone.zip' } }), 'gone.zip'],
    [
      'an integration with no function',
      withProperties('Any', { Integration: { Uri: 'https://example.com' } }),
      'the integration https://example.com',
    ],
    [
      'an index of whole items',
      withProperties('Table', {
        GlobalSecondaryIndexes: [
          { IndexName: 'i', KeySchema: [], Projection: { ProjectionType: 'ALL' } },
        ],
      }),
      'the indexes of a table',
    ],
    [
      'two functions on one path',
      {
        ...oneRoute,
        Get: {
          Type: 'AWS::ApiGateway::Method',
          Properties: {
            ResourceId: { Ref: 'Deep' },
            Integration: { Uri: 'arn:aws:lambda:r:1:function:other/invocations' },
          },
        },
      },
      'two functions for /health/deep',
    ],
  ])('is refused with %s', (_, resources, message) => {
    expect(() => contentsOf(resources)).toThrow(LocalRunError);
    expect(() => contentsOf(resources)).toThrow(message);
  });
});

describe('intrinsic functions', () => {
  function resolve(value: unknown): unknown {
    return new Resolver(readAssembly(writeAssembly({ Stack: oneRoute }))).resolve(value);
  }

  const arn = 'arn:aws:lambda:us-west-2:000000000000:function:test-token';

  it.each([
    ['plain', 'plain'],
    [7, 7],
    [null, null],
    [[{ a: { Ref: 'Table' } }], [{ a: 'test-audit' }]],
    [{ Ref: 'AWS::Region' }, 'us-west-2'],
    [{ Ref: 'Live' }, `${arn}:live`],
    [{ 'Fn::GetAtt': ['Fn', 'Arn'] }, arn],
    [{ 'Fn::GetAtt': 'Fn.Arn' }, arn],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }]] }, 'a-test-audit'],
    [
      { 'Fn::Sub': '${Table} ${Fn.Arn} ${AWS::Partition} ${!Table}' },
      `test-audit ${arn} aws \${Table}`,
    ],
    [
      { Ref: 'Table', other: 1 },
      { Ref: 'Table', other: 1 },
    ],
  ])('%j is %j', (value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each([
    [{ 'Fn::ImportValue': 'x' }, 'Fn::ImportValue'],
    [{ 'Fn::Select': [0, ['a']] }, 'Fn::Select'],
    [{ 'Fn::Sub': ['${A}', { A: 'a' }] }, 'Fn::Sub with variables'],
    [{ Ref: 'Nothing' }, 'Nothing, which is no resource of it'],
    [{ Ref: 'Stage' }, 'Ref of Stage (AWS::ApiGateway::Stage)'],
    [{ Ref: 'AWS::NoValue' }, 'AWS::NoValue'],
    [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, 'Fn::GetAtt StreamArn of Table'],
    [{ 'Fn::Join': ['', [{ a: 'b' }]] }, '{"a":"b"} in place of text'],
  ])('%j is refused', (value, message) => {
    expect(() => resolve(value)).toThrow(LocalRunError);
    expect(() => resolve(value)).toThrow(`the template of Stack uses ${message}`);
  });
});

describe('a synthesis', () => {
  it('must be there', () => {
    expect(() => readAssembly('/nonexistent')).toThrow(
      new LocalRunError('there are no templates in /nonexistent: run "npx cdk synth" first'),
    );
  });

  it('has one stack', () => {
    const directory = writeAssembly({ 'A-data': {}, 'A-slc': {} });
    expect(() => readAssembly(directory)).toThrow(
      `${directory} holds A-data, A-slc; allowed: the one stack of a config with one region`,
    );
  });

  it('is what the CDK writes', () => {
    const resources = { X: { Properties: {} } } as never;
    const directory = writeAssembly({ Stack: resources });
    expect(() => readAssembly(directory)).toThrow('is not an output of "cdk synth"');
  });
});
