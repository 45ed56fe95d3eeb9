import { beforeAll, describe, expect, it } from 'vitest';
import { sealedTokenTableName } from '../../contract/tables.ts';
import {
  evaluate,
  type Resource,
  readConfigFile,
  resourcesOf,
  type Synthesis,
  synthesise,
} from './synthesise.ts';

const name = sealedTokenTableName('authorization-server');
const isAbout = (value: unknown) => JSON.stringify(value).toLowerCase().includes('sealed');

const config = (tokenReuse: object) => ({ ...readConfigFile('single-region'), tokenReuse });

let shared: Synthesis;
beforeAll(() => {
  shared = synthesise(config({ minimumRemainingShare: 0.5, shared: true }), { checked: true });
});

function resources({ templates }: Synthesis, type: string): readonly Resource[] {
  return Object.values(templates).flatMap((template) => Object.values(resourcesOf(template, type)));
}

function tokenVariables(synthesis: Synthesis): Readonly<Record<string, string>> {
  const found = resources(synthesis, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties['FunctionName'] === 'authorization-server-token',
  );
  return found?.Properties['Environment'].Variables;
}

/** Statements that name the table, with the role that has them. */
function statementsAbout(synthesis: Synthesis): readonly unknown[] {
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::Role'].flatMap((type) =>
    resources(synthesis, type)
      .filter(isAbout)
      .flatMap(({ Properties }) => evaluate(Properties['PolicyDocument'].Statement) as unknown[])
      .filter(isAbout),
  );
}

describe('a deployment that shares tokens', () => {
  it('has one table for them in its region, with a TTL, on demand, which goes with the stack', () => {
    const found = resources(shared, 'AWS::DynamoDB::GlobalTable').filter(isAbout);
    expect(found).toMatchObject([
      {
        DeletionPolicy: 'Delete',
        UpdateReplacePolicy: 'Delete',
        Properties: {
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: [{ AttributeName: 'item_id', KeyType: 'HASH' }],
          TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
          Replicas: [{ Region: 'us-west-2' }],
        },
      },
    ]);
  });

  it('lets only the token function read and write an item, and nothing more', () => {
    expect(statementsAbout(shared)).toMatchObject([
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        Condition: {
          ArnEquals: {
            'lambda:SourceFunctionArn':
              'arn:aws:lambda:us-west-2:111122223333:function:authorization-server-token',
          },
        },
      },
    ]);
  });

  it('tells the token function the table', () => {
    expect(tokenVariables(shared)).toMatchObject({
      AUTH_TOKEN_REUSE_SHARE: '0.5',
      AUTH_SEALED_TOKENS_TABLE: name,
    });
  });

  it('has a table of its own in each region', () => {
    const three = synthesise({
      ...readConfigFile('three-regions'),
      tokenReuse: { minimumRemainingShare: 0.5, shared: true },
    });
    const found = resources(three, 'AWS::DynamoDB::GlobalTable').filter(isAbout);
    const regions = found.map(({ Properties }) =>
      Properties['Replicas'].map(({ Region }: { readonly Region: string }) => Region),
    );
    expect(regions).toEqual([['us-west-2'], ['us-east-2'], ['us-east-1']]);
  });
});

describe('a deployment that does not', () => {
  it.each([
    ['reuses nothing', readConfigFile('single-region')],
    ['reuses in each instance', config({ minimumRemainingShare: 0.5 })],
    ['says so', config({ minimumRemainingShare: 0.5, shared: false })],
  ])('has no table, no statement and no variable for it: it %s', (_, input) => {
    const synthesis = synthesise(input);
    expect(resources(synthesis, 'AWS::DynamoDB::GlobalTable').filter(isAbout)).toEqual([]);
    expect(statementsAbout(synthesis)).toEqual([]);
    expect(tokenVariables(synthesis)).not.toHaveProperty('AUTH_SEALED_TOKENS_TABLE');
  });
});
