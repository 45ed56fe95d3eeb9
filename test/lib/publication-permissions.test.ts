import { beforeAll, describe, expect, it } from 'vitest';
import { changedSigningKeyAttributes } from '../../contract/tables.ts';
import { evaluateRequest, type RequestContext } from '../../lab/emulator/iam/evaluate-request.ts';
import { evaluate, propertiesOf, resourcesOf, singleRegion } from './synthesise.ts';

const account = '111122223333';
const table = `arn:aws:dynamodb:us-west-2:${account}:table/authorization-server-signing-keys`;
const names = ['key-rotation', 'canary'] as const;
type Name = (typeof names)[number];

/** What each role is allowed on the table of signing keys, as the stack makes it. */
let statements: Readonly<Record<string, readonly object[]>>;
beforeAll(() => {
  const template = singleRegion();
  const roles = resourcesOf(template, 'AWS::IAM::Role');
  statements = Object.fromEntries(
    propertiesOf(template, 'AWS::IAM::Policy').map((properties) => [
      roles[properties['Roles'][0].Ref]?.Properties['RoleName'],
      onTable(evaluate(properties['PolicyDocument'].Statement)),
    ]),
  );
});

/** The table's ARN is known only at deployment: the template names the resource. */
function onTable(all: readonly { readonly Resource: string | readonly string[] }[]) {
  return all
    .filter(({ Resource }) => [Resource].flat().some((arn) => arn.includes('SigningKeysTable')))
    .map((statement) => ({ ...statement, Resource: table }));
}

async function decide(name: Name, action: string, context: RequestContext): Promise<string> {
  const role = `authorization-server-slc-${name}`;
  const { result } = await evaluateRequest(
    {
      identity: [
        { name: 'role', document: { Version: '2012-10-17', Statement: statements[role] ?? [] } },
      ],
    },
    {
      principal: `arn:aws:sts::${account}:assumed-role/${role}/authorization-server-${name}`,
      action,
      resource: table,
      account,
      context: {
        'aws:PrincipalArn': `arn:aws:iam::${account}:role/${role}`,
        'lambda:SourceFunctionArn': `arn:aws:lambda:us-west-2:${account}:function:authorization-server-${name}`,
        ...context,
      },
    },
  );
  return result;
}

const ofPartition = (partition: string, ...attributes: readonly string[]): RequestContext => ({
  'dynamodb:LeadingKeys': [partition],
  ...(attributes.length > 0 && {
    'dynamodb:Attributes': ['record_type', 'record_id', ...attributes],
  }),
});

describe('what the role of the rotation may write', () => {
  it.each([
    ['an intent', 'PutItem', ofPartition('key_intent')],
    ['its heartbeat', 'PutItem', ofPartition('region_heartbeat')],
    ['a choice', 'PutItem', ofPartition('key_choice')],
    ['the life of a key', 'UpdateItem', ofPartition('signing_key', ...changedSigningKeyAttributes)],
  ])('is %s', async (_, action, context) => {
    expect(await decide('key-rotation', `dynamodb:${action}`, context)).toBe('Allowed');
  });

  it.each([
    ['a signing key of its own', 'PutItem', ofPartition('signing_key')],
    ['the public key of a record', 'UpdateItem', ofPartition('signing_key', 'public_jwk')],
    ['the KMS key of a record', 'UpdateItem', ofPartition('signing_key', 'state', 'kms_key_arn')],
    ['the algorithm of a record', 'UpdateItem', ofPartition('signing_key', 'alg')],
    ['the region of a record', 'UpdateItem', ofPartition('signing_key', 'region_id')],
    ['what it does not name', 'UpdateItem', ofPartition('signing_key')],
    ['another partition', 'UpdateItem', ofPartition('key_intent', 'state')],
    ['the run of a canary', 'PutItem', ofPartition('canary_run')],
    ['a deletion', 'DeleteItem', ofPartition('signing_key')],
    ['a batch', 'BatchWriteItem', ofPartition('signing_key')],
    ['a statement in PartiQL', 'PartiQLInsert', ofPartition('signing_key')],
  ])('is not %s', async (_, action, context) => {
    expect(await decide('key-rotation', `dynamodb:${action}`, context)).toBe('ImplicitlyDenied');
  });
});

describe('what the role of the canary may write', () => {
  it('is a signing key and its own run, and nothing that the rotation plans by', async () => {
    for (const partition of ['signing_key', 'canary_run']) {
      expect(await decide('canary', 'dynamodb:PutItem', ofPartition(partition))).toBe('Allowed');
    }
    for (const partition of ['key_intent', 'region_heartbeat', 'key_choice']) {
      expect(await decide('canary', 'dynamodb:PutItem', ofPartition(partition))).toBe(
        'ImplicitlyDenied',
      );
    }
    const change = ofPartition('signing_key', 'state');
    expect(await decide('canary', 'dynamodb:UpdateItem', change)).toBe('ImplicitlyDenied');
  });
});
