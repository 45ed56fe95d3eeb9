import { describe, expect, it } from 'vitest';
import { tableKeys, tableName, tables } from '../../contract/tables.ts';
import {
  findReferences,
  type Template,
  type TemplateResource,
} from '../../lab/support/template-changes/template.ts';
import { importMapping, withoutOrder } from '../../lab/tools/import-mapping.ts';
import { readConfigFile, synthesise } from './synthesise.ts';

const name = 'authorization-server';

/** Which resources a new stack has to import, by stack. */
function mappings(config: 'single-region' | 'three-regions') {
  const { templates } = synthesise(readConfigFile(config));
  return Object.fromEntries(
    Object.entries(templates).map(([stack, template]) => {
      const { Resources } = template.toJSON() as {
        readonly Resources: Readonly<Record<string, TemplateResource>>;
      };
      const identifiers = Object.values(importMapping(Resources)).flatMap(Object.entries<string>);
      return [stack, identifiers.map(([property, value]) => `${property} ${value}`)];
    }),
  );
}

const tableIds = (scope?: 'global' | 'regional') =>
  tableKeys
    .filter((key) => scope === undefined || tables[key].scope === scope)
    .map((key) => `TableName ${tableName(name, key)}`);

describe('what outlives its stack', () => {
  it('has a fixed name by which the next stack can import it', () => {
    const { 'AuthorizationServer-slc': found = [] } = mappings('single-region');
    expect(found).toEqual(expect.arrayContaining(tableIds()));
    expect(found).toContain(`LogGroupName /aws/lambda/${name}-token`);
    expect(new Set(found).size).toBe(found.length);
  });

  it('is the shared tables in one stack of several regions, and the rest in each', () => {
    const found = mappings('three-regions');
    expect(found['AuthorizationServer-data']).toEqual(tableIds('global'));
    for (const id of ['slc', 'dfw', 'pit']) {
      const own = found[`AuthorizationServer-${id}`] ?? [];
      expect(own.filter((text) => text.startsWith('TableName'))).toEqual(tableIds('regional'));
      expect(own).toContain(`BackupVaultName ${name}`);
    }
  });

  it('is imported before the resources that it waits for in the template', () => {
    const { templates } = synthesise(readConfigFile('single-region'));
    const template = templates['AuthorizationServer-slc']?.toJSON() as Template;
    const mapping = importMapping(template.Resources);
    const imported = withoutOrder(template, mapping).Resources;
    expect(Object.keys(mapping).some((id) => 'DependsOn' in (template.Resources[id] ?? {}))).toBe(
      true,
    );
    for (const id of Object.keys(mapping)) {
      const { DependsOn, ...others } = imported[id] ?? { Type: '' };
      expect([DependsOn, findReferences(others)]).toEqual([undefined, []]);
    }
  });

  it.each<[string, TemplateResource]>([
    ['of a type that is not known', { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'b' } }],
    ['a role of a fixed name', { Type: 'AWS::IAM::Role', Properties: { RoleName: 'r' } }],
    ['without a name', { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} }],
    [
      'whose name only the deployment makes',
      { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: { Ref: 'X' } } },
    ],
  ])('is refused if it could not be found again: %s', (_, resource) => {
    const retained = { X: { ...resource, DeletionPolicy: 'Retain' } };
    expect(() => importMapping(retained)).toThrow('allowed: a fixed name, of AWS::DynamoDB');
  });
});
