import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Construct } from 'constructs';
import { expect, it } from 'vitest';
import { OAuthClient } from '../../lib/oauth-client.ts';
import { evaluate, propertiesOf, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

function synthesised(management: object, more: object = {}) {
  const input = { ...readConfigFile('single-region'), management, ...more };
  const template = synthesise(input).templates['AuthorizationServer-slc'];
  if (template === undefined) throw new Error('there is no stack');
  return template;
}

it('adds an alias for each account, which that account may invoke, and nothing to any role', () => {
  const before = synthesised({}, { reservedConcurrency: { management: 60 } });
  const template = synthesised({
    stackReach: [
      { account: '444455556666', stacks: ['erp-*'], trunkGroups: ['tg-1'] },
      { account: '444455556666', trunkGroups: ['tg-2'] },
      { account: '777788889999', trunkGroups: ['tg-3'] },
    ],
  });
  const added = (type: string) =>
    Object.entries(resourcesOf(template, type))
      .filter(([id]) => !(id in resourcesOf(before, type)))
      .map(([, { Properties }]) => Properties);
  const aliases = added('AWS::Lambda::Alias');
  expect(aliases.map(({ Name }) => Name)).toEqual(['stack-444455556666', 'stack-777788889999']);
  expect(added('AWS::Lambda::Permission').map((properties) => evaluate(properties))).toEqual(
    ['444455556666', '777788889999'].map((Principal) => ({
      Action: 'lambda:InvokeFunction',
      FunctionName: expect.stringContaining(`Aliasstack${Principal}`),
      Principal,
    })),
  );
  // Together with a run, less than the ServiceTimeout.
  expect(
    added('AWS::Lambda::EventInvokeConfig').map((one) => one['MaximumEventAgeInSeconds']),
  ).toEqual([480, 480]);
  // So that events take no execution of token requests.
  expect(
    propertiesOf(template, 'AWS::Lambda::Function').flatMap(
      (properties) => properties['ReservedConcurrentExecutions'] ?? [],
    ),
  ).toEqual([60]);
  for (const type of ['AWS::IAM::Role', 'AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']) {
    expect(resourcesOf(template, type)).toEqual(resourcesOf(before, type));
  }
});

it('is one custom resource without a secret, whose reference is the client id', () => {
  const stack = new Stack(new App(), 'Erp');
  const client = new OAuthClient(stack, 'Billing', {
    deploymentAccount: '111122223333',
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
    tokenLifetime: Duration.minutes(15),
    provider: 'https://idp.example.net',
    externalClientId: 'billing',
    requiredClaims: [{ claim: 'environment', values: ['production'] }],
  });
  const { Resources } = Template.fromStack(stack).toJSON();
  const [[id, resource]] = Object.entries(Resources) as [[string, { Properties: object }]];
  expect(evaluate(resource)).toEqual({
    Type: 'Custom::OAuthClient',
    Properties: {
      ServiceToken: expect.stringMatching(
        /:111122223333:function:authorization-server-management:stack-/,
      ),
      ServiceTimeout: '600',
      name: 'Billing',
      serviceTrunkGroup: 'tg-1001',
      scopes: ['messaging:view'],
      tokenLifetime: 900,
      provider: 'https://idp.example.net',
      externalClientId: 'billing',
      requiredClaims: [{ claim: 'environment', values: ['production'] }],
    },
    UpdateReplacePolicy: 'Delete',
    DeletionPolicy: 'Delete',
  });
  expect(stack.resolve(client.clientId)).toEqual({ Ref: id });
});

it('says at synthesis what keeps the client if the construct moves, and keeps it', () => {
  const props = {
    deploymentAccount: '111122223333',
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  };
  const synthesised = (place: readonly string[], logicalId?: string) => {
    const app = new App();
    const stack = new Stack(app, 'Erp');
    const parent = place.reduce<Construct>((scope, id) => new Construct(scope, id), stack);
    const client = new OAuthClient(parent, 'Billing', {
      ...props,
      ...(logicalId !== undefined && { logicalId }),
    });
    expect(Stack.of(client)).toBe(stack);
    const { messages, template } = app.synth().getStackByName('Erp') as {
      readonly messages: readonly { readonly entry: { readonly data?: unknown } }[];
      readonly template: { readonly Resources: object };
    };
    const ids = Object.keys(template.Resources);
    return { ids, told: messages.map(({ entry }) => JSON.stringify(entry.data)) };
  };
  const before = synthesised([]);
  const [id = ''] = before.ids;
  expect(before.told).toEqual([
    expect.stringContaining(`with logicalId: '${id}' it stays the same`),
  ]);
  expect(synthesised(['Services', 'Erp']).ids).not.toEqual(before.ids);
  expect(synthesised(['Services', 'Erp'], id)).toEqual({ ids: [id], told: [] });
});
