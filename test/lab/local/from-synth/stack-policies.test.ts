import { describe, expect, it } from 'vitest';
import { readAssembly, type TemplateResource } from '../../../../lab/local/from-synth/assembly.ts';
import { readStackPolicies } from '../../../../lab/local/from-synth/stack-policies.ts';
import { oneRoute, writeAssembly } from './assembly.ts';

const statement = {
  Effect: 'Allow',
  Action: 'dynamodb:GetItem',
  Resource: { 'Fn::GetAtt': ['Table', 'Arn'] },
};
const document = { Version: '2012-10-17', Statement: [statement] };
const resolved = {
  Version: '2012-10-17',
  Statement: [
    { ...statement, Resource: 'arn:aws:dynamodb:us-west-2:000000000000:table/test-audit' },
  ],
};
const arn = (resource: string) => `arn:aws:${resource}`;

function policiesOf(resources: Readonly<Record<string, TemplateResource>>) {
  return readStackPolicies(readAssembly(writeAssembly({ Stack: { ...oneRoute, ...resources } })));
}

describe('the policies of a stack', () => {
  it('are those of each role that a function has, inline and attached', () => {
    const role = { Ref: 'Role' };
    const { roles } = policiesOf({
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          RoleName: 'test-role',
          Policies: [{ PolicyName: 'Inline', PolicyDocument: document }],
          PermissionsBoundary: 'arn:aws:iam::000000000000:policy/boundary',
        },
      },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { PolicyName: 'P', Roles: [role], PolicyDocument: document },
      },
      OtherPolicy: {
        Type: 'AWS::IAM::Policy',
        Properties: { PolicyName: 'P', Roles: [{ Ref: 'Other' }], PolicyDocument: document },
      },
    });
    expect(roles.get('test-token')).toEqual({
      arn: arn('iam::000000000000:role/test-role'),
      name: 'test-role',
      policies: [
        { name: 'test-role/Inline', document: resolved },
        { name: 'test-role', document: resolved },
      ],
      boundaryArn: arn('iam::000000000000:policy/boundary'),
    });
  });

  it('are managed policies, by name', () => {
    const { managed } = policiesOf({
      Operators: {
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: { ManagedPolicyName: 'operator', PolicyDocument: document },
      },
    });
    expect(managed).toEqual(new Map([['operator', { name: 'operator', document: resolved }]]));
  });

  it('are policies of topics, by ARN', () => {
    const { topics } = policiesOf({
      Alarms: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'test-alarms' } },
      Policy: {
        Type: 'AWS::SNS::TopicPolicy',
        Properties: { Topics: [{ Ref: 'Alarms' }], PolicyDocument: document },
      },
    });
    const policy = { name: 'policy of test-alarms', document: resolved };
    expect(topics).toEqual(new Map([[arn('sns:us-west-2:000000000000:test-alarms'), policy]]));
  });

  it('are permissions of functions, and the rules that have them', () => {
    const { permissions, rules } = policiesOf({
      Permission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: { Ref: 'Live' },
          Principal: 'events.amazonaws.com',
          SourceArn: { 'Fn::GetAtt': ['Rule', 'Arn'] },
        },
      },
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: {
          ScheduleExpression: 'rate(5 minutes)',
          Targets: [{ Arn: { 'Fn::GetAtt': ['Fn', 'Arn'] }, Id: 'Target0' }],
        },
      },
      OtherRule: { Type: 'AWS::Events::Rule', Properties: { EventPattern: {}, Targets: [] } },
    });
    const fn = arn('lambda:us-west-2:000000000000:function:test-token');
    const rule = arn('events:us-west-2:000000000000:rule/Rule');
    expect(rules).toEqual(new Map([[fn, rule]]));
    expect(permissions).toEqual([
      {
        functionArn: `${fn}:live`,
        statement: {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'lambda:InvokeFunction',
          Resource: `${fn}:live`,
          Condition: { ArnLike: { 'aws:SourceArn': rule } },
        },
      },
    ]);
  });

  it('are refused if a function has a role that the stack does not have', () => {
    const { Fn } = oneRoute;
    const Properties = { ...Fn?.Properties, Role: 'arn:aws:iam::000000000000:role/other' };
    expect(() => policiesOf({ Fn: { Type: 'AWS::Lambda::Function', Properties } })).toThrow(
      'a role outside of it, in Fn',
    );
  });
});
