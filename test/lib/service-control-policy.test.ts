import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultDeploymentName, functionName } from '../../contract/function-names.ts';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { tableName } from '../../contract/tables.ts';
import {
  evaluateRequest,
  type PolicyDocument,
  type RequestContext,
} from '../../lab/emulator/iam/evaluate-request.ts';
import { evaluate, resourcesOf, singleRegion } from './synthesise.ts';

const file = resolve(import.meta.dirname, '../../docs/service-control-policy.json');
const policy = JSON.parse(readFileSync(file, 'utf8')) as PolicyDocument;

const account = '111122223333';
const role = (name: string) => `arn:aws:iam::${account}:role/${name}`;
const fn = (name: Parameters<typeof functionName>[1]) =>
  `arn:aws:lambda:us-west-2:${account}:function:${functionName(defaultDeploymentName, name)}`;
const table = (name: string) => `arn:aws:dynamodb:us-west-2:${account}:table/${name}`;
const keys = table(tableName(defaultDeploymentName, 'signingKeys'));
const movedKeys = table('authorization-server-2-signing-keys');
const key = `arn:aws:kms:us-west-2:${account}:key/1234abcd-12ab-34cd-56ef-1234567890ab`;
const execution = `cdk-hnb659fds-cfn-exec-role-${account}-us-west-2`;
const deployment = `cdk-hnb659fds-deploy-role-${account}-us-west-2`;
const publishing = `cdk-hnb659fds-file-publishing-role-${account}-us-west-2`;
const asset = `arn:aws:s3:::cdk-hnb659fds-assets-${account}-us-west-2/code.zip`;
const stack = `arn:aws:cloudformation:us-west-2:${account}:stack/AuthorizationServer-slc/1`;
const api = 'arn:aws:apigateway:us-west-2::/restapis/a1b2c3/stages/live';
const deploymentTag = { [`aws:ResourceTag/${kmsKeyTags.deployment}`]: defaultDeploymentName };
const newTag = { [`aws:RequestTag/${kmsKeyTags.deployment}`]: defaultDeploymentName };

type Call = readonly [action: string, resource: string, context?: RequestContext | undefined];

/** Decides a call of a role that IAM itself lets do everything. */
async function decide(name: string, [action, resource, context = {}]: Call): Promise<string> {
  const all: PolicyDocument = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
  };
  const trust = { Effect: 'Allow', Principal: { AWS: role(name) }, Action: '*', Resource: '*' };
  const byResource = /^(kms:[^C]|sts:)/.test(action);
  const { result } = await evaluateRequest(
    {
      identity: [{ name: 'AdministratorAccess', document: all }],
      ...(byResource && {
        resource: { name: 'resource', document: { Version: '2012-10-17', Statement: [trust] } },
      }),
      serviceControl: [{ name: 'ours', document: policy }],
    },
    {
      principal: role(name),
      action,
      resource,
      account,
      context: { 'aws:PrincipalArn': role(name), ...context },
    },
  );
  return result;
}

const attacks: readonly Call[] = [
  ['kms:Sign', key, deploymentTag],
  ['kms:CreateKey', '*', newTag],
  ['kms:TagResource', key, newTag],
  ...[keys, movedKeys].flatMap((each): Call[] => [
    ['dynamodb:PutItem', each, { 'dynamodb:LeadingKeys': ['signing_key'] }],
    ['dynamodb:UpdateItem', each],
    ['dynamodb:DeleteItem', each],
    ['dynamodb:BatchWriteItem', each],
    ['dynamodb:PartiQLInsert', each],
    ['dynamodb:PutResourcePolicy', each],
    ['dynamodb:ImportTable', each],
    ['dynamodb:RestoreTableToPointInTime', each],
    ['dynamodb:DeleteTable', each],
    ['dynamodb:UpdateTable', each],
  ]),
  ['iam:CreateRole', role('authorization-server-slc-token')],
  ['iam:PassRole', role('authorization-server-slc-token')],
  ['iam:PutRolePolicy', role('authorization-server-slc-token')],
  ['iam:UpdateAssumeRolePolicy', role('AuthorizationServer-slc-GradualDeploymentRole-1')],
  ['iam:PassRole', role('AuthorizationServer-slc-GradualDeploymentRole-1')],
  ...['break-glass', 'deployer', execution, deployment, publishing].flatMap((name): Call[] => [
    ['iam:CreateRole', role(name)],
    ['iam:UpdateAssumeRolePolicy', role(name)],
    ['iam:AttachRolePolicy', role(name)],
    ['iam:PutRolePolicy', role(name)],
    ['iam:DeleteRole', role(name)],
  ]),
  ['iam:PassRole', role(execution)],
  ['sts:AssumeRole', role(deployment)],
  ['sts:AssumeRole', role(publishing)],
  ['cloudformation:UpdateStack', stack],
  ['cloudformation:CreateChangeSet', stack],
  ['cloudformation:ExecuteChangeSet', stack],
  ['cloudformation:DeleteStack', stack],
  // Another stack may remember the same execution role.
  ['cloudformation:UpdateStack', stack.replace('AuthorizationServer-slc', 'Other')],
  ['s3:PutObject', asset],
  ['lambda:UpdateFunctionCode', fn('token')],
  ['lambda:UpdateFunctionConfiguration', fn('canary')],
  ['lambda:UpdateAlias', fn('token')],
  ['lambda:AddPermission', fn('key-rotation')],
  ['lambda:CreateFunction', fn('token').replace('us-west-2', 'eu-north-1')],
  ['apigateway:PATCH', api],
  ['apigateway:PUT', api],
  ['route53:ChangeResourceRecordSets', 'arn:aws:route53:::hostedzone/Z0123456789ABC'],
];

describe('the service control policy of the documentation', () => {
  it('fits into the quota of AWS Organizations', () => {
    expect(JSON.stringify(policy).length).toBeLessThanOrEqual(5120);
  });

  it.each(attacks.map((call) => ({ call, text: `${call[0]} on ${call[1]}` })))(
    'refuses to an administrator: $text',
    async ({ call }) => {
      expect(await decide('admin', call)).toBe('ExplicitlyDenied');
    },
  );

  it('refuses nothing of this to the break-glass role', async () => {
    const refused: Call[] = [];
    for (const call of attacks) {
      if ((await decide('break-glass', call)) !== 'Allowed') refused.push(call);
    }
    expect(refused).toEqual([]);
  });

  it.each<[string, Call]>([
    ['authorization-server-slc-token', ['kms:Sign', key, from('token')]],
    ['authorization-server-slc-canary', ['kms:Sign', key, from('canary')]],
    [
      'authorization-server-slc-canary',
      ['dynamodb:PutItem', keys, { ...from('canary'), 'dynamodb:LeadingKeys': ['signing_key'] }],
    ],
    ['authorization-server-slc-key-rotation', ['kms:CreateKey', '*', rotating()]],
    ['authorization-server-slc-key-rotation', ['dynamodb:UpdateItem', movedKeys, rotating()]],
    [
      'authorization-server-slc-key-rotation',
      ['dynamodb:PutItem', keys, { ...rotating(), 'dynamodb:LeadingKeys': ['key_intent'] }],
    ],
    ['deployer', ['sts:AssumeRole', role(deployment)]],
    ['deployer', ['sts:AssumeRole', role(publishing)]],
    [deployment, ['iam:PassRole', role(execution)]],
    [deployment, ['cloudformation:CreateChangeSet', stack]],
    [deployment, ['cloudformation:ExecuteChangeSet', stack]],
    [publishing, ['s3:PutObject', asset]],
    [execution, ['iam:CreateRole', role('authorization-server-slc-token')]],
    [execution, ['iam:PassRole', role('authorization-server-slc-token')]],
    [execution, ['lambda:UpdateFunctionCode', fn('token')]],
    [execution, ['dynamodb:CreateTable', keys]],
    [execution, ['apigateway:PATCH', api]],
    ['AuthorizationServer-slc-GradualDeploymentRole-1', ['lambda:UpdateAlias', fn('token')]],
    ['AuthorizationServer-slc-BackupRole-1', ['dynamodb:StartAwsBackupJob', keys]],
    // What the runbook and the procedures tell operators to do.
    ['operator', ['lambda:InvokeFunction', fn('key-rotation')]],
    ['operator', ['lambda:PutFunctionConcurrency', fn('token')]],
    ['operator', ['lambda:DeleteFunctionConcurrency', fn('token')]],
    ['operator', ['dynamodb:Query', keys]],
    ['operator', ['dynamodb:RestoreTableToPointInTime', table('authorization-server-restored')]],
    ['operator', ['cloudformation:DescribeStackEvents', stack]],
  ])('lets %s do its task: %s', async (name, call) => {
    expect(await decide(name, call)).toBe('Allowed');
  });

  it.each([
    ['key-rotation', rotating()],
    ['management', from('management')],
  ])('keeps a signing key from %s, as only the canary adds one', async (name, caller) => {
    const context = { ...caller, 'dynamodb:LeadingKeys': ['signing_key'] };
    const call: Call = ['dynamodb:PutItem', keys, context];
    expect(await decide(`authorization-server-slc-${name}`, call)).toBe('ExplicitlyDenied');
  });

  it('covers every role and function of a stack', async () => {
    const template = singleRegion();
    const named = (type: string, property: string): readonly string[] =>
      Object.values(resourcesOf(template, type)).flatMap(
        ({ Properties }) => (evaluate(Properties[property]) as string | undefined) ?? [],
      );
    const calls = [
      ...named('AWS::IAM::Role', 'RoleName').map((name): Call => ['iam:PassRole', role(name)]),
      ...named('AWS::Lambda::Function', 'FunctionName').map(
        (name): Call => ['lambda:UpdateFunctionCode', fn('token').replace(/[^:]+$/, name)],
      ),
    ];
    expect(calls.length).toBeGreaterThanOrEqual(14);
    for (const call of calls) expect(await decide('admin', call)).toBe('ExplicitlyDenied');
  });
});

function from(name: Parameters<typeof functionName>[1]): RequestContext {
  return { ...deploymentTag, 'lambda:SourceFunctionArn': fn(name) };
}

function rotating(): RequestContext {
  return { ...newTag, 'lambda:SourceFunctionArn': fn('key-rotation') };
}
