import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { managementAliases } from '../../contract/management/roles.ts';
import { evaluateRequest } from '../../lab/emulator/iam/evaluate-request.ts';
import { administratorAccess } from '../../lab/emulator/iam/principals.ts';
import { evaluate, propertiesOf, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

const account = '111122223333';
const other = '444455556666';
const roleArn = (name: string, owner = other) => `arn:aws:iam::${owner}:role/${name}`;
const management = `arn:aws:lambda:us-west-2:${account}:function:authorization-server-management`;

const entry = {
  principals: [roleArn('provisioning')],
  trunkGroups: ['tg-1'],
  aliases: ['client-operator'],
};

const configOf = (...reach: readonly object[]) => ({
  ...readConfigFile('single-region'),
  management: { reach, default: 'everything' },
});

/** Permissions for roles, by the alias that they are for. */
function permissions(input: unknown) {
  const template = synthesise(input).templates['AuthorizationServer-slc'];
  if (template === undefined) throw new Error('there is no stack');
  const aliases = resourcesOf(template, 'AWS::Lambda::Alias');
  return propertiesOf(template, 'AWS::Lambda::Permission')
    .filter((properties) => String(properties['Principal']).startsWith('arn:'))
    .map((properties) => {
      const { Ref = '' } = properties['FunctionName'] as { readonly Ref?: string };
      const name = String(evaluate(aliases[Ref]?.Properties['Name']));
      const { Principal, Action, ...rest } = properties;
      return { name, Principal, Action, others: Object.keys(rest) };
    });
}

/** Decides an invocation by a role that its own account lets do everything. */
async function decide(
  allowed: ReturnType<typeof permissions>,
  role: string,
  qualifier: string,
): Promise<string> {
  const resource = `${management}${qualifier}`;
  const Statement = allowed
    .map(({ name, Principal, Action }) => ({
      Effect: 'Allow',
      Principal: { AWS: Principal },
      Action,
      Resource: `${management}:${name}`,
    }))
    // Lambda evaluates the policy of the alias that the caller names.
    .filter(({ Resource }) => Resource === resource);
  const document = { Version: '2012-10-17', Statement };
  const { result } = await evaluateRequest(
    {
      identity: [administratorAccess],
      resource: Statement.length === 0 ? undefined : { name: 'of the alias', document },
    },
    {
      principal: `arn:aws:sts::${role.split(':')[4]}:assumed-role/${role.split('/').at(-1)}/x`,
      action: 'lambda:InvokeFunction',
      resource,
      account,
      context: { 'aws:PrincipalArn': role, 'aws:PrincipalAccount': role.split(':')[4] ?? '' },
    },
  );
  return result;
}

const named = permissions(configOf(entry));
const unnamed = permissions(configOf({ ...entry, aliases: undefined }));

describe('a role of another account that the config names for an alias', () => {
  it('is in the resource policy of this alias, and nothing else is', () => {
    expect(named).toEqual([
      {
        name: 'client-operator',
        Principal: roleArn('provisioning'),
        Action: 'lambda:InvokeFunction',
        others: ['FunctionName'],
      },
    ]);
    expect(unnamed).toEqual([]);
  });

  it('may invoke it', async () => {
    const decided = await decide(named, roleArn('provisioning'), ':client-operator');
    expect(decided).toBe('Allowed');
  });

  it.each<readonly [string, string, string]>([
    ['another role of its account', roleArn('provisioning2'), ':client-operator'],
    [
      'a role of that name in a third account',
      roleArn('provisioning', '999999999999'),
      ':client-operator',
    ],
    ...managementAliases
      .filter((alias) => alias !== 'client-operator')
      .map((alias) => [`the alias ${alias}`, roleArn('provisioning'), `:${alias}`] as const),
    ['the function without an alias', roleArn('provisioning'), ''],
    ['a version', roleArn('provisioning'), ':1'],
  ])('is refused: %s', async (_, role, qualifier) => {
    expect(await decide(named, role, qualifier)).not.toBe('Allowed');
  });

  it('is refused if the entry names no alias', async () => {
    expect(await decide(unnamed, roleArn('provisioning'), ':client-operator')).not.toBe('Allowed');
  });
});

it.each([
  [
    'an account',
    { ...entry, principals: [other] },
    'aliases only if each principal is the ARN of a role',
  ],
  ['a user', { ...entry, principals: [`arn:aws:iam::${other}:user/ada`] }, 'ARN of a role'],
  [
    'the alias of portals',
    { ...entry, aliases: ['portal'] },
    'received "portal"; expected ("client-operator"',
  ],
  [
    'an alias that does not exist',
    { ...entry, aliases: ['live'] },
    'received "live"; expected ("client-operator"',
  ],
  ['no alias', { ...entry, aliases: [] }, 'one or more'],
])('the config refuses aliases for %s', (_, given, text) => {
  expect(() => parseDeploymentConfig(configOf(given))).toThrow(text);
});
