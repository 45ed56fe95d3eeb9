import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { operatorPolicyName } from '../../contract/function-names.ts';
import { operatorGroups } from '../../contract/operator-permissions.ts';
import {
  maxPolicyCharacters,
  type OperatorDocument,
  operatorDocuments,
} from '../../lib/operators/operator-policies.ts';
import { propertiesOf, readConfigFile, synthesise } from './synthesise.ts';

const input = readConfigFile('three-regions');
const account = '111122223333';
const awsRegions = { slc: 'us-west-2', dfw: 'us-east-2', pit: 'us-east-1' } as const;

interface Loose {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

function resolveArn(value: unknown, region: string): string {
  const known: Record<string, string> = {
    'AWS::Partition': 'aws',
    'AWS::AccountId': account,
    'AWS::Region': region,
  };
  if (typeof value === 'string') return value;
  const {
    Ref,
    'Fn::Join': join,
    'Fn::GetAtt': attribute,
  } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]]; 'Fn::GetAtt'?: [string, string] };
  // Only the audit is a table of the same stack.
  if (attribute !== undefined) {
    expect(attribute[0]).toMatch(/audit/i);
    return `arn:aws:dynamodb:${region}:${account}:table/authorization-server-audit`;
  }
  if (Ref !== undefined) return known[Ref] ?? Ref;
  const [separator, parts] = join ?? ['', []];
  return parts.map((part) => resolveArn(part, region)).join(separator);
}

function pairs(statements: readonly Loose[], region = ''): string[] {
  return statements.flatMap(({ Action, Resource, Condition = {} }) =>
    [Action]
      .flat()
      .flatMap((action) =>
        [Resource]
          .flat()
          .map(
            (resource) => `${action} ${resolveArn(resource, region)} ${JSON.stringify(Condition)}`,
          ),
      ),
  );
}

function ofDocuments(documents: Readonly<Record<string, OperatorDocument>>, name: string) {
  const parts = Object.entries(documents).filter(([key]) => key.replace(/-\d$/, '') === name);
  return parts.flatMap(([, { Statement }]) => pairs(Statement)).toSorted();
}

describe('the documents of operators', () => {
  const documents = operatorDocuments(parseDeploymentConfig(input), account);
  const { templates } = synthesise(input);
  const deployed = (group: string) =>
    Object.entries(awsRegions).flatMap(([id, region]) => {
      const template = templates[`AuthorizationServer-${id}`];
      if (template === undefined) throw new Error(id);
      return propertiesOf(template, 'AWS::IAM::ManagedPolicy')
        .filter(
          (properties) =>
            properties['ManagedPolicyName'] ===
            operatorPolicyName('authorization-server', id as 'slc', group),
        )
        .flatMap((properties) => pairs(properties['PolicyDocument'].Statement, region));
    });

  it.each(Object.keys(operatorGroups))('of %s allow what its policies allow', (group) => {
    const wanted = deployed(group).toSorted();
    expect(wanted.length).toBeGreaterThan(2);
    expect(ofDocuments(documents, group)).toEqual(wanted);
  });

  it('have one of everyday work, in which nothing is that is attached for a while', () => {
    const everyday = Object.keys(operatorGroups).filter((name) => !/restore|break/.test(name));
    const wanted = [...new Set(everyday.flatMap(deployed))].toSorted();
    expect(ofDocuments(documents, 'operators')).toEqual(wanted);
    expect(Object.keys(documents)).toHaveLength(9);
  });

  it('are split if they are longer than IAM takes', () => {
    const name = `a${'b'.repeat(31)}`;
    const long = operatorDocuments(
      parseDeploymentConfig({ ...input, name, tablesName: `c${'d'.repeat(31)}` }),
      account,
    );
    for (const all of [documents, long]) {
      for (const one of Object.values(all)) {
        expect(JSON.stringify(one).length).toBeLessThanOrEqual(maxPolicyCharacters);
      }
    }
    expect(JSON.stringify(documents['operators']).length).toBeGreaterThan(1000);
  });
});
