import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { apiKeyUseTableName, tableKeys, tableName, tables } from '../../contract/tables.ts';
import { evaluate, propertiesOf, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

interface Json {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties: {
          readonly PolicyDocument: {
            readonly Statement: readonly { readonly Resource: string | readonly string[] }[];
          };
        };
      }
    >
  >;
}

const tablesName = 'authorization-server-2';
const old = 'authorization-server';

/** Text of every template of a config, and the names of its tables by stack. */
function synthesised(config: 'single-region' | 'three-regions', more: object) {
  const { templates } = synthesise({ ...readConfigFile(config), ...more });
  const names = Object.entries(templates).map(([stack, template]) => [
    stack,
    propertiesOf(template, 'AWS::DynamoDB::GlobalTable').map((properties) =>
      String(properties['TableName']),
    ),
  ]);
  return {
    tables: Object.fromEntries(names) as Readonly<Record<string, readonly string[]>>,
    text: JSON.stringify(Object.values(templates).map((one) => evaluate(one.toJSON()))),
  };
}

const namesOf = (prefix: string, scope: 'global' | 'regional') =>
  tableKeys.filter((key) => tables[key].scope === scope).map((key) => tableName(prefix, key));

it('may be followed by more regions, as the name of one is a latency record already', () => {
  const { domain, regions } = readConfigFile('three-regions');
  const [first = ''] = Object.keys(regions);
  const { templates } = synthesise({
    ...readConfigFile('single-region'),
    domain,
    regions: { [first]: regions[first as keyof typeof regions] },
  });
  const records = Object.values(templates).flatMap((template) =>
    Object.values(resourcesOf(template, 'AWS::Route53::RecordSet')),
  );
  const shared = records.find(({ Properties }) => Properties['Name'] === `${domain?.name}.`);
  expect(shared?.Properties).toMatchObject({ Region: 'us-west-2', SetIdentifier: first });
  expect(shared?.Properties).not.toHaveProperty('HealthCheckId');
});

describe.each(['single-region', 'three-regions'] as const)('tablesName, in %s', (config) => {
  const before = synthesised(config, {});
  const after = synthesised(config, { tablesName });

  it('is read by every function, policy and alarm, and the old tables by none', () => {
    for (const name of namesOf(old, 'global')) {
      // A quotation mark or a slash follows or stands before a name, and never in the new one.
      const pattern = new RegExp(`["/]${name}["\\\\]`);
      expect(before.text).toMatch(pattern);
      expect(after.text).not.toMatch(pattern);
    }
    for (const name of namesOf(tablesName, 'global')) expect(after.text).toContain(name);
  });

  it('leaves the audit of each region, and every other name, as they are', () => {
    const rename = (text: string) =>
      namesOf(tablesName, 'global').reduce(
        (changed, name) => changed.replaceAll(name, name.replace(tablesName, old)),
        text,
      );
    const withoutHashes = (text: string) => text.replaceAll(/[0-9a-f]{32,64}|[0-9A-F]{8}/g, '');
    expect(withoutHashes(rename(after.text))).toBe(withoutHashes(before.text));
    for (const [stack, names] of Object.entries(after.tables)) {
      const audits = namesOf(old, 'regional');
      expect(names.filter((name) => audits.includes(name))).toHaveLength(
        stack.endsWith('-data') ? 0 : 1,
      );
    }
  });

  it('and formerTablesName let functions also use the former tables, and change nothing else', () => {
    const resources = (more: object) =>
      Object.entries(synthesise({ ...readConfigFile(config), ...more }).templates).flatMap(
        ([stack, template]) =>
          Object.entries((evaluate(template.toJSON()) as Json).Resources).map(
            ([id, resource]) => [`${stack} ${id}`, resource] as const,
          ),
      );
    const moved = new Map(resources({ tablesName }));
    const moving = resources({ tablesName, formerTablesName: old });
    const changed = moving.filter(([id, one]) => !isDeepStrictEqual(one, moved.get(id)));
    // The deployment check learns that other tables are meant.
    expect(new Set(changed.map(([, { Type }]) => Type))).toEqual(
      new Set(['AWS::IAM::Policy', 'Custom::DeploymentCheck']),
    );
    const policies = changed.filter(([, { Type }]) => Type === 'AWS::IAM::Policy');
    const statements = policies.flatMap(
      ([, { Properties }]) => Properties.PolicyDocument.Statement,
    );
    for (const statement of statements) {
      const tablesOf = [statement.Resource]
        .flat()
        .map((arn) => arn.split(':table/')[1])
        .filter(
          (name) =>
            name !== undefined &&
            ![...namesOf(old, 'regional'), apiKeyUseTableName(old)].includes(name),
        );
      // The CDK merges statements with the same actions; the audit keeps its name.
      const present = tablesOf.filter((name) => name?.startsWith(tablesName));
      const former = present.map((name) => name?.replace(tablesName, old));
      if (present.length > 0) expect(new Set(tablesOf)).toEqual(new Set([...present, ...former]));
    }
  });
});
