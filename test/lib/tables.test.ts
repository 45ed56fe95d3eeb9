import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiKeyUseTableName, tableKeys, tableName, tables } from '../../contract/tables.ts';
import { type Resource, resourcesOf, singleRegion } from './synthesise.ts';

let template: Template;
beforeAll(() => {
  template = singleRegion();
});

function tableResources(): readonly Resource[] {
  return Object.values(resourcesOf(template, 'AWS::DynamoDB::GlobalTable'));
}

describe('the tables of one region', () => {
  it('are these, by fixed names', () => {
    expect(tableResources().map(({ Properties }) => Properties['TableName'])).toEqual([
      ...tableKeys.map((key) => tableName('authorization-server', key)),
      'authorization-server-api-key-uses',
    ]);
    expect(Object.keys(resourcesOf(template, 'AWS::DynamoDB::Table'))).toEqual([]);
  });

  it.each(tableKeys)('%s has the keys that the adapters use', (key) => {
    const { partitionKey, ...schema } = tables[key];
    const sortKey =
      'sortKey' in schema ? [{ AttributeName: schema.sortKey, KeyType: 'RANGE' }] : [];
    const found = tableResources().find(
      ({ Properties }) => Properties['TableName'] === tableName('authorization-server', key),
    );
    expect(found?.Properties['KeySchema']).toEqual([
      { AttributeName: partitionKey, KeyType: 'HASH' },
      ...sortKey,
    ]);
  });

  it.each(tableKeys)('%s is on demand, protected, recoverable and outlives its stack', (key) => {
    const found = tableResources().find(
      ({ Properties }) => Properties['TableName'] === tableName('authorization-server', key),
    );
    expect(found).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        Replicas: [
          {
            Region: 'us-west-2',
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        ],
      },
    });
  });

  it('have one for the last uses of API keys that nothing misses: with a TTL, gone with the stack', () => {
    const uses = tableResources().find(
      ({ Properties }) => Properties['TableName'] === apiKeyUseTableName('authorization-server'),
    );
    expect(uses).toMatchObject({
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'use_id', KeyType: 'HASH' }],
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      },
    });
  });

  it('of records have no TTL, no local index and no stream, which a strongly consistent table cannot keep', () => {
    const records = tableResources().filter(({ DeletionPolicy }) => DeletionPolicy !== 'Delete');
    expect(records).toHaveLength(tableKeys.length);
    for (const { Properties } of records) {
      expect(Object.keys(Properties)).not.toEqual(
        expect.arrayContaining(['TimeToLiveSpecification']),
      );
      expect(Properties['LocalSecondaryIndexes']).toBeUndefined();
      expect(Properties['StreamSpecification']).toBeUndefined();
      expect(Properties['TimeToLiveSpecification']).toBeUndefined();
    }
  });
});

describe('the index by trunk group', () => {
  it.each(tableKeys)(
    '%s has it if its items belong to a trunk group, with keys and ids of before',
    (key) => {
      const found = tableResources().find(
        ({ Properties }) => Properties['TableName'] === tableName('authorization-server', key),
      );
      const index = {
        IndexName: 'by-trunk-group',
        KeySchema: [
          { AttributeName: 'service_trunk_group', KeyType: 'HASH' },
          { AttributeName: 'name', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['imported_id'] },
      };
      const isOwned = key === 'clients' || key === 'apiKeys';
      expect(found?.Properties['GlobalSecondaryIndexes']).toEqual(isOwned ? [index] : undefined);
    },
  );
});

describe('log groups', () => {
  it('are kept for 400 days and outlive their stack, but for those named after an API', () => {
    const groups = Object.entries(resourcesOf(template, 'AWS::Logs::LogGroup'));
    // One of each function, the access log and what API Gateway would make itself.
    expect(groups).toHaveLength(11);
    for (const [id, group] of groups) {
      expect(group.Properties['RetentionInDays']).toBe(400);
      const policy = id.startsWith('ApiExecutionLog') ? 'Delete' : 'RetainExceptOnCreate';
      expect(group.DeletionPolicy).toBe(policy);
    }
  });
});
