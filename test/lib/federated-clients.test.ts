import { beforeAll, describe, expect, it } from 'vitest';
import {
  evaluate,
  type Resource,
  readConfigFile,
  resourcesOf,
  type Synthesis,
  synthesise,
} from './synthesise.ts';

const table = 'table/authorization-server-identity-providers';

let on: Synthesis;
let off: Synthesis;
beforeAll(() => {
  const config = readConfigFile('three-regions');
  off = synthesise(config);
  on = synthesise({ ...config, federatedClients: { ownProviders: true } }, { checked: true });
});

function resources({ templates }: Synthesis, type: string): readonly Resource[] {
  return Object.values(templates).flatMap((template) => Object.values(resourcesOf(template, type)));
}

function variables(synthesis: Synthesis, name: string): Readonly<Record<string, string>> {
  const found = resources(synthesis, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties['FunctionName'] === `authorization-server-${name}`,
  );
  return evaluate(found?.Properties['Environment'].Variables) as Readonly<Record<string, string>>;
}

/** Actions of the token function on the table of identity providers. */
function actions(synthesis: Synthesis): readonly unknown[] {
  return resources(synthesis, 'AWS::IAM::Policy')
    .flatMap(({ Properties }) => evaluate(Properties['PolicyDocument'].Statement) as unknown[])
    .map((statement) => statement as { Action: unknown; Resource: unknown; Condition?: unknown })
    .filter(({ Condition }) => JSON.stringify(Condition ?? '').includes('server-token'))
    .filter(({ Resource }) => JSON.stringify(Resource).includes(table))
    .map(({ Action }) => Action);
}

describe('a deployment with federatedClients', () => {
  it('lets the token function read an identity provider, and do nothing else with them', () => {
    expect(new Set(actions(on))).toEqual(new Set(['dynamodb:GetItem']));
    expect(actions(off)).toEqual([]);
  });

  it('tells the token function what an assertion may name', () => {
    expect(JSON.parse(variables(on, 'token')['AUTH_FEDERATED_CLIENTS'] ?? '')).toEqual({
      identityProvidersTable: 'authorization-server-identity-providers',
      maxAge: 3600,
      ownProviders: true,
      tokenEndpoints: ['', 'slc.', 'dfw.', 'pit.'].map(
        (region) => `https://${region}auth.example.com/api/v1/oauth/token`,
      ),
    });
    expect(variables(on, 'discovery')['AUTH_FEDERATED_CLIENTS']).toBe('1');
  });

  it('has the variables of before without it', () => {
    for (const name of ['token', 'discovery']) {
      const { AUTH_FEDERATED_CLIENTS: _, ...others } = variables(on, name);
      expect(variables(off, name)).toEqual(others);
    }
  });
});
