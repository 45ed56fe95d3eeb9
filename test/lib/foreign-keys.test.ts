import { beforeAll, describe, expect, it } from 'vitest';
import {
  evaluateRequest,
  type PolicyDocument,
  type RequestContext,
} from '../../lab/emulator/iam/evaluate-request.ts';
import { evaluate, resourcesOf, singleRegion } from './synthesise.ts';

const account = '111122223333';
const role = 'authorization-server-slc-key-rotation';
const key = `arn:aws:kms:us-west-2:${account}:key/1234abcd-12ab-34cd-56ef-1234567890ab`;
const tag = { 'aws:RequestTag/authorization-server:deployment': 'authorization-server' };
const newTag = { ...tag, 'aws:TagKeys': ['authorization-server:deployment'] };
const kind = { 'kms:KeySpec': 'RSA_2048', 'kms:KeyUsage': 'SIGN_VERIFY' };

let document: PolicyDocument;
beforeAll(() => {
  const template = singleRegion();
  const roles = resourcesOf(template, 'AWS::IAM::Role');
  const policies = Object.values(resourcesOf(template, 'AWS::IAM::Policy'));
  const found = policies.find(
    ({ Properties }) => roles[Properties['Roles'][0].Ref]?.Properties['RoleName'] === role,
  );
  document = evaluate(found?.Properties['PolicyDocument']);
});

/** The key's policy lets IAM decide, as the default policy of KMS does. */
const byIam: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${account}:root` },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
};

async function decide(action: string, resource: string, context: RequestContext): Promise<string> {
  const { result } = await evaluateRequest(
    { identity: [{ name: 'role', document }], resource: { name: 'key policy', document: byIam } },
    {
      principal: `arn:aws:sts::${account}:assumed-role/${role}/authorization-server-key-rotation`,
      action,
      resource,
      account,
      context: {
        'aws:PrincipalArn': `arn:aws:iam::${account}:role/${role}`,
        'lambda:SourceFunctionArn': `arn:aws:lambda:us-west-2:${account}:function:authorization-server-key-rotation`,
        ...context,
      },
    },
  );
  return result;
}

describe('a key of the account that the rotation did not create', () => {
  it.each([key, key.replace(/[^/]+$/, `mrk-${'0'.repeat(32)}`)])(
    'never gets the tag of the deployment: %s',
    async (resource) => {
      const context = { ...newTag, ...kind };
      expect(await decide('kms:TagResource', resource, context)).toBe('ExplicitlyDenied');
    },
  );

  it.each(['kms:DisableKey', 'kms:ScheduleKeyDeletion', 'kms:UntagResource'])(
    'is never given to %s without the tag',
    async (action) => {
      const context = { ...kind, 'kms:ScheduleKeyDeletionPendingWindowInDays': '30' };
      expect(await decide(action, key, context)).toBe('ImplicitlyDenied');
    },
  );

  it('is no hindrance to a new key, which CreateKey tags', async () => {
    expect(await decide('kms:TagResource', key, newTag)).toBe('Allowed');
  });
});
