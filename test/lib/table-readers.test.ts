import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import type { TableReaders } from '../../contract/operations-config.ts';
import { batchedPlatformApiActions } from '../../contract/platform-api-tables.ts';
import { evaluateRequest, type PolicyDocument } from '../../lab/emulator/iam/evaluate-request.ts';
import { findHarm } from '../../lab/support/template-changes/find-harm.ts';
import type { Template } from '../../lab/support/template-changes/template.ts';
import { readTablesOf, tableArns } from '../../lib/platform/authorizer-function.ts';
import { type ReadTable, readerCondition } from './reader-condition.ts';
import { evaluate, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

const readers: TableReaders = {
  accounts: ['222233334444', '333344445555'],
  organizationId: 'o-a1b2c3d4e5',
};

interface Replica {
  readonly Region: string;
  readonly ResourcePolicy?: { readonly PolicyDocument: PolicyDocument };
}

/** The policy of each replica, by the table's name and the replica's AWS region. */
function policiesOf(file: string, tableReaders?: TableReaders) {
  const { templates } = synthesise({ ...readConfigFile(file), tableReaders });
  const tables = Object.values(templates).flatMap((template) =>
    Object.values(resourcesOf(template, 'AWS::DynamoDB::GlobalTable')),
  );
  return tables.flatMap(({ Properties }) =>
    (Properties['Replicas'] as readonly Replica[]).map((replica) => ({
      name: `${Properties['TableName']} in ${replica.Region}`,
      policy: evaluate(replica.ResourcePolicy?.PolicyDocument) as PolicyDocument | undefined,
    })),
  );
}

function statement(principal: string | readonly string[], table: ReadTable) {
  return {
    Effect: 'Allow',
    Principal: { AWS: principal },
    Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
    Resource: `arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server-${table}`,
    Condition: readerCondition(table),
  };
}

describe('tables that other accounts read', () => {
  it('have no policy by default', () => {
    const all = [...policiesOf('single-region'), ...policiesOf('three-regions')];
    expect(all.map(({ policy }) => policy)).toEqual(all.map(() => undefined));
  });

  it('pass the rule packs of cdk-nag', () => {
    const config = { ...readConfigFile('single-region'), tableReaders: readers };
    expect(() => synthesise(config, { checked: true })).not.toThrow();
  });

  it('let the accounts read items by the keys of records, and nothing else', () => {
    const found = policiesOf('single-region', { accounts: readers.accounts });
    const both = ['arn:aws:iam::222233334444:root', 'arn:aws:iam::333344445555:root'];
    const only = (table: ReadTable) => ({
      Version: '2012-10-17',
      Statement: [statement(both, table)],
    });
    expect(Object.fromEntries(found.map(({ name, policy }) => [name, policy]))).toEqual({
      'authorization-server-clients in us-west-2': only('clients'),
      'authorization-server-api-keys in us-west-2': only('api-keys'),
      'authorization-server-identity-providers in us-west-2': only('identity-providers'),
      'authorization-server-signing-keys in us-west-2': undefined,
      'authorization-server-settings in us-west-2': undefined,
      'authorization-server-audit in us-west-2': undefined,
    });
  });

  it('let an organization read under a condition on its id', () => {
    const [clients] = policiesOf('single-region', { organizationId: 'o-a1b2c3d4e5' });
    const expected = statement('*', 'clients');
    expect(clients?.policy?.Statement).toEqual([
      {
        ...expected,
        Condition: {
          ...expected.Condition,
          StringEquals: { 'aws:PrincipalOrgID': 'o-a1b2c3d4e5' },
          StringNotEquals: { 'aws:PrincipalAccount': '111122223333' },
        },
      },
    ]);
  });

  it('have a policy in each region, for the table there', () => {
    const found = policiesOf('three-regions', {
      accounts: ['222233334444'],
      tables: 'authorization-server',
    });
    const resources = found.flatMap(({ name, policy }) =>
      (policy?.Statement ?? []).map((each) => [name, (each as { Resource: string }).Resource]),
    );
    const expected = ['clients', 'api-keys', 'identity-providers'].flatMap((table) =>
      ['us-west-2', 'us-east-2', 'us-east-1'].map((region) => [
        `authorization-server-${table} in ${region}`,
        `arn:aws:dynamodb:${region}:111122223333:table/authorization-server-${table}`,
      ]),
    );
    expect(Object.fromEntries(resources)).toEqual(Object.fromEntries(expected));
  });

  describe('in three regions', () => {
    const accounts = ['222233334444'];
    const file = readConfigFile('three-regions');
    const dataStack = (config: object) =>
      synthesise({ ...file, ...config }).templates[
        'AuthorizationServer-data'
      ]?.toJSON() as Template;
    const nothing: Template = { Resources: {} };
    const second = {
      tablesName: 'authorization-server-2',
      formerTablesName: 'authorization-server',
    };
    const readersOf = (tables: string) => ({ tableReaders: { accounts, tables } });

    it('get their policies after the first deployment', () => {
      const first = dataStack({});
      const later = dataStack(readersOf('authorization-server'));
      expect(findHarm(nothing, first)).toEqual([]);
      expect(findHarm(first, later)).toEqual([]);
      expect(findHarm(nothing, later).map(({ what }) => what)).toEqual([
        expect.stringContaining('new replicas with a policy: us-east-2, us-east-1, us-west-2'),
        expect.anything(),
        expect.anything(),
      ]);
    });

    it('get them after a move to other tables', () => {
      const moved = dataStack({ ...second, ...readersOf('authorization-server') });
      const later = dataStack({ ...second, ...readersOf('authorization-server-2') });
      expect(findHarm(nothing, moved)).toEqual([]);
      expect(findHarm(moved, later)).toEqual([]);
      expect(JSON.stringify(later)).toContain('222233334444');
    });

    it.each([
      ['received nothing; allowed: "authorization-server" if these tables exist', { accounts }],
      ['received "other"; allowed: "authorization-server"', { accounts, tables: 'other' }],
    ])('are refused: %s', (message, tableReaders) => {
      expect(() => parseDeploymentConfig({ ...file, tableReaders })).toThrow(message);
    });
  });

  it('need no name in one region', () => {
    const tableReaders = { accounts: ['222233334444'], tables: 'authorization-server' };
    expect(() =>
      parseDeploymentConfig({ ...readConfigFile('single-region'), tableReaders }),
    ).toThrow('tableReaders.tables: received "authorization-server"; allowed: no value');
  });

  it.each([
    ['no account', { accounts: [] }, 'allowed: one account or more'],
    ['nothing', {}, 'allowed: accounts, organizationId or both'],
    [
      'an ARN',
      { accounts: ['arn:aws:iam::222233334444:root'] },
      'allowed: the id of an AWS account',
    ],
    [
      'an account twice',
      { accounts: ['222233334444', '222233334444'] },
      'allowed: each account once',
    ],
    ['another id', { organizationId: 'ou-a1b2-c3d4e5f6' }, 'allowed: the id of an organization'],
    ['a misspelt key', { account: ['222233334444'] }, 'account'],
  ])('are refused for %s', (_, tableReaders, message) => {
    const config = { ...readConfigFile('single-region'), tableReaders };
    expect(() => parseDeploymentConfig(config)).toThrow(message);
  });
});

const policies = new Map(
  policiesOf('single-region', readers).map(({ name, policy }) => [name.split(' ')[0], policy]),
);

const table = (name: string) => `arn:aws:dynamodb:us-west-2:111122223333:table/${name}`;

const everything = [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }];

const own = { account: '111122223333', organization: 'o-a1b2c3d4e5' };

/** What the constructs let a platform API's role do. */
const ofConstructs = readTablesOf(
  tableArns(new Stack(), table('authorization-server')),
  batchedPlatformApiActions,
).map((each) => each.toStatementJson() as object);

interface Read {
  readonly account?: string;
  readonly organization?: string;
  readonly action?: string;
  readonly table: string;
  readonly keys?: readonly string[] | undefined;
  /** Those of `ProjectionExpression`; undefined for a request without it. */
  readonly attributes?: readonly string[] | undefined;
}

/** Of a request, as DynamoDB describes it to IAM. */
function attributesContext({ table, ...request }: Read) {
  const usual = table === 'clients' ? ['client_id', 'enabled', 'tokens_not_before'] : undefined;
  const attributes = 'attributes' in request ? request.attributes : usual;
  return attributes === undefined
    ? { 'dynamodb:Attributes': ['client_id'], 'dynamodb:Select': 'ALL_ATTRIBUTES' }
    : { 'dynamodb:Attributes': attributes, 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' };
}

/** @param own what the role's own account lets it do. */
async function decide(request: Read, own: readonly object[] = everything): Promise<string> {
  const { account = '222233334444', organization, action = 'dynamodb:GetItem', keys } = request;
  const name = `authorization-server-${request.table}`;
  const role = `arn:aws:iam::${account}:role/messages`;
  const document = policies.get(name);
  const decision = await evaluateRequest(
    {
      identity: [{ name: 'own', document: { Version: '2012-10-17', Statement: own } }],
      ...(document && { resource: { name: 'table', document } }),
    },
    {
      principal: `arn:aws:sts::${account}:assumed-role/messages/session`,
      action,
      resource: table(name),
      account: '111122223333',
      context: {
        'aws:PrincipalArn': role,
        'aws:PrincipalAccount': account,
        ...(organization !== undefined && { 'aws:PrincipalOrgID': organization }),
        ...(keys !== undefined && { 'dynamodb:LeadingKeys': keys }),
        ...attributesContext(request),
      },
    },
  );
  return decision.result;
}

describe('IAM, asked about a role of another account', () => {
  it.each([
    ['an API key', { table: 'api-keys', keys: ['key_1'] }],
    ["a provider's client", { table: 'clients', keys: ['client_1'] }],
    ['a provider', { table: 'identity-providers', keys: ['https://login.example.net'] }],
    [
      'many items at once',
      { table: 'clients', action: 'dynamodb:BatchGetItem', keys: ['client_1', 'client_2'] },
    ],
    ['the key of the start check', { table: 'api-keys', keys: ['start-check'] }],
    [
      'an account of the organization',
      {
        account: '999900001111',
        organization: 'o-a1b2c3d4e5',
        table: 'clients',
        keys: ['client_1'],
      },
    ],
  ])('allows the read of %s', async (_, request) => {
    expect(await decide(request)).toBe('Allowed');
    expect(await decide(request, ofConstructs)).toBe('Allowed');
    expect(await decide(request, [])).toBe('ImplicitlyDenied');
  });

  it("gives a role of the tables' own account nothing that its own policies do not allow", async () => {
    const request = { ...own, table: 'api-keys', keys: ['key_1'] };
    expect(await decide(request, [])).toBe('ImplicitlyDenied');
    expect(await decide(request, ofConstructs)).toBe('Allowed');
  });

  it.each([
    ['the hashes of secrets', ['client_id', 'secrets']],
    ['a whole client', undefined],
  ])("refuses a platform API of the tables' own account %s", async (_, attributes) => {
    const request = { ...own, table: 'clients', keys: ['client_1'], attributes };
    expect(await decide(request, ofConstructs)).toBe('ImplicitlyDenied');
  });

  it.each([
    ['another account', { account: '999900001111', table: 'api-keys', keys: ['key_1'] }],
    [
      'an account of another organization',
      { account: '999900001111', organization: 'o-zzzzzzzzzz', table: 'api-keys', keys: ['key_1'] },
    ],
    ['a key of another form', { table: 'api-keys', keys: ['client_1'] }],
    ['two keys of which one has another form', { table: 'api-keys', keys: ['key_1', 'x'] }],
    ['no key', { table: 'api-keys' }],
    [
      'the hashes of secrets',
      { table: 'clients', keys: ['client_1'], attributes: ['client_id', 'secrets'] },
    ],
    ['a whole client', { table: 'clients', keys: ['client_1'], attributes: undefined }],
    ['a scan', { table: 'api-keys', action: 'dynamodb:Scan' }],
    ['a query', { table: 'clients', action: 'dynamodb:Query', keys: ['client_1'] }],
    [
      'many whole clients at once',
      {
        table: 'clients',
        action: 'dynamodb:BatchGetItem',
        keys: ['client_1', 'client_2'],
        attributes: undefined,
      },
    ],
    [
      'many items at once of which one has another form',
      { table: 'api-keys', action: 'dynamodb:BatchGetItem', keys: ['key_1', 'client_1'] },
    ],
    ['a change', { table: 'api-keys', action: 'dynamodb:UpdateItem', keys: ['key_1'] }],
    ['a new record', { table: 'api-keys', action: 'dynamodb:PutItem', keys: ['key_1'] }],
    ['a deletion', { table: 'api-keys', action: 'dynamodb:DeleteItem', keys: ['key_1'] }],
    ['the signing keys', { table: 'signing-keys', keys: ['signing_key'] }],
    ['the audit', { table: 'audit', keys: ['2026-11-20'] }],
  ])('refuses %s', async (_, request) => {
    expect(await decide(request)).toBe('ImplicitlyDenied');
  });
});
