// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type OperatorGroup,
  type OperatorGroupName,
  operatorGroups,
} from '../../contract/operator-permissions.ts';
import { restoredTableName, type TableKey } from '../../contract/tables.ts';
import {
  evaluate,
  propertiesOf,
  readConfigFile,
  resourcesOf,
  type Synthesis,
  settingsOf,
  singleRegion,
  synthesise,
} from './synthesise.ts';

let three: Synthesis;
let single: Template;
beforeAll(() => {
  three = synthesise(readConfigFile('three-regions'));
  single = singleRegion();
});

function stack(id: string): Template {
  return three.templates[`AuthorizationServer-${id}`] as Template;
}

describe('the policies of operators', () => {
  /** Group → action → resources, shortened to a table's or a function's name. */
  function groups(): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
    return Object.fromEntries(
      propertiesOf(stack('slc'), 'AWS::IAM::ManagedPolicy').map((properties) => {
        const granted: Record<string, string[]> = {};
        for (const { Effect, Action, Resource } of evaluate(
          properties['PolicyDocument'].Statement,
        )) {
          expect(Effect).toBe('Allow');
          for (const action of [Action].flat() as string[]) {
            const names = ([Resource].flat() as string[]).map((arn) =>
              arn.startsWith('{')
                ? 'audit'
                : arn.replace(/^arn:aws:\w+:us-west-2:111122223333:(?:table\/|function:)/, ''),
            );
            granted[action] = [...(granted[action] ?? []), ...names];
          }
        }
        return [String(properties['ManagedPolicyName']), granted];
      }),
    );
  }

  const prefix = 'authorization-server';
  const signingKeys = `${prefix}-signing-keys`;

  const tableNames = {
    clients: `${prefix}-clients`,
    apiKeys: `${prefix}-api-keys`,
    identityProviders: `${prefix}-identity-providers`,
    signingKeys,
    settings: `${prefix}-settings`,
    audit: 'audit',
  };

  it.each(Object.entries(operatorGroups))(
    '%s may do exactly what its commands need',
    (name, group: OperatorGroup) => {
      const expected: Record<string, Set<string>> = {};
      for (const [table, actions] of Object.entries(group.tables) as [
        TableKey,
        readonly string[],
      ][]) {
        for (const action of actions) (expected[action] ??= new Set()).add(tableNames[table]);
      }
      for (const table of group.restoredTables ?? []) {
        (expected['dynamodb:Scan'] ??= new Set()).add(restoredTableName(prefix, table));
      }
      const functions = group.functions.map((fn) => `${prefix}-${fn}`);
      if (group.alias !== undefined) functions.push(`${prefix}-management:${group.alias}`);
      if (functions.length > 0) expected['lambda:InvokeFunction'] = new Set(functions);
      const granted = groups()[`${prefix}-slc-${name}`] ?? {};
      expect(
        Object.fromEntries(Object.entries(granted).map(([action, on]) => [action, new Set(on)])),
      ).toEqual(expected);
    },
  );

  it('read the audit of each region for a restore, as its page says', () => {
    const page = readFileSync('docs/procedures/restore-a-table.md', 'utf8');
    const [, text = ''] = /\| have the policy (.*), and permission to restore/.exec(page) ?? [];
    const named = [...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name as OperatorGroupName);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) {
      expect(operatorGroups[name].tables).toMatchObject({
        audit: expect.arrayContaining(['dynamodb:Query']) as unknown,
      });
    }
  });

  it('have two conditions: the five partitions of keys for their operator, and those of settings for a restore', () => {
    const policies = Object.values(resourcesOf(single, 'AWS::IAM::ManagedPolicy'));
    const conditions = policies.flatMap(({ Properties }) =>
      (Properties['PolicyDocument'].Statement as { Condition?: unknown }[]).flatMap(
        ({ Condition }) => (Condition === undefined ? [] : [Condition]),
      ),
    );
    expect(conditions).toEqual([
      {
        'ForAllValues:StringEquals': {
          'dynamodb:LeadingKeys': [
            'signing_key',
            'key_intent',
            'region_heartbeat',
            'key_choice',
            'canary_run',
          ],
        },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
      {
        'ForAllValues:StringEquals': {
          'dynamodb:LeadingKeys': [
            'trunk_group_limits',
            'provider_owner',
            'subject_grants',
            'issuer_grants',
            'person',
          ],
        },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    ]);
  });

  it('are these eight, in each region under a name of its own', () => {
    expect(Object.keys(groups())).toHaveLength(8);
    for (const id of ['slc', 'dfw', 'pit']) {
      for (const { Properties } of Object.values(
        resourcesOf(stack(id), 'AWS::IAM::ManagedPolicy'),
      )) {
        expect(Properties['ManagedPolicyName']).toMatch(
          new RegExp(`^${prefix}-${id}-(?:[a-z-]+-operator|auditor|administrator)$`),
        );
      }
    }
  });
});

describe('backups', () => {
  function selected(id: string): readonly string[] {
    const [selection] = Object.values(resourcesOf(stack(id), 'AWS::Backup::BackupSelection'));
    return evaluate(selection?.Properties['BackupSelection'].Resources);
  }

  it('are daily, kept as the config says, in a locked vault that outlives its stack', () => {
    const [plan] = Object.values(resourcesOf(stack('slc'), 'AWS::Backup::BackupPlan'));
    expect(plan?.Properties['BackupPlan'].BackupPlanRule).toEqual([
      expect.objectContaining({
        RuleName: 'daily',
        ScheduleExpression: 'cron(0 9 * * ? *)',
        Lifecycle: { DeleteAfterDays: 35 },
      }),
    ]);
    const [vault] = Object.values(resourcesOf(stack('slc'), 'AWS::Backup::BackupVault'));
    expect(vault).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { LockConfiguration: { MinRetentionDays: 35 } },
    });
  });

  it('take the shared tables once, and the audit of every region', () => {
    expect(selected('slc')).toHaveLength(6);
    expect(selected('dfw')).toEqual([expect.stringMatching(/^\{AuditTable\w+\}\.Arn$/)]);
    expect(selected('pit')).toHaveLength(1);
  });

  it('are copied to a vault of another account if the config names one', () => {
    const copyToVaultArn = 'arn:aws:backup:us-west-2:444455556666:backup-vault:copies';
    const { templates } = synthesise({
      ...readConfigFile('single-region'),
      backup: { retentionDays: 7, copyToVaultArn },
    });
    const [plan] = Object.values(
      resourcesOf(templates['AuthorizationServer-slc'] as Template, 'AWS::Backup::BackupPlan'),
    );
    expect(plan?.Properties['BackupPlan'].BackupPlanRule[0].CopyActions).toEqual([
      { DestinationBackupVaultArn: copyToVaultArn, Lifecycle: { DeleteAfterDays: 7 } },
    ]);
  });

  it('are absent if the config does not ask for them', () => {
    expect(resourcesOf(single, 'AWS::Backup::BackupPlan')).toEqual({});
  });
});

describe('the log role of API Gateway', () => {
  it('is left alone if another stack owns it', () => {
    const { templates } = synthesise({
      ...readConfigFile('single-region'),
      apiGatewayLogRole: 'existing',
    });
    const template = templates['AuthorizationServer-slc'] as Template;
    expect(resourcesOf(template, 'AWS::ApiGateway::Account')).toEqual({});
  });

  it('outlives the stack, as the other APIs of the account log with it', () => {
    const [account] = Object.values(resourcesOf(single, 'AWS::ApiGateway::Account'));
    expect(account?.DeletionPolicy).toBe('Retain');
  });

  it('is set with a warning if a config does not say so', () => {
    const warnings = (apiGatewayLogRole?: string) => {
      const { apiGatewayLogRole: _, ...config } = readConfigFile('single-region');
      const added = apiGatewayLogRole === undefined ? {} : { apiGatewayLogRole };
      const { app, templates } = synthesise({ ...config, ...added });
      const template = templates['AuthorizationServer-slc'] as Template;
      expect(Object.keys(resourcesOf(template, 'AWS::ApiGateway::Account'))).toHaveLength(1);
      const { metadata } = app.node.findChild('AuthorizationServer-slc').node;
      return metadata.filter(({ data }) => String(data).startsWith('apiGatewayLogRole: '));
    };
    expect(warnings()).toHaveLength(1);
    expect(warnings('create')).toEqual([]);
  });
});

describe('the break-glass role of the config', () => {
  it('is the only one that may open the policy of a signing key', () => {
    const breakGlassRoleArn = 'arn:aws:iam::111122223333:role/break-glass';
    const { templates } = synthesise({ ...readConfigFile('single-region'), breakGlassRoleArn });
    const rotation = Object.values(
      resourcesOf(templates['AuthorizationServer-slc'] as Template, 'AWS::Lambda::Function'),
    ).find(({ Properties }) => Properties['FunctionName'] === 'authorization-server-key-rotation');
    const policy = settingsOf(rotation?.Properties).keyPolicy;
    const open = policy.Statement.find(({ Sid }: any) => Sid === 'OnlyBreakGlassOpens');
    expect(open.Condition.ArnNotEquals['aws:PrincipalArn']).toEqual([breakGlassRoleArn]);
  });
});

describe('the permissions boundary of the config', () => {
  it('stands on every role, those that CDK makes included', () => {
    const permissionsBoundaryArn = 'arn:aws:iam::111122223333:policy/boundary';
    const { templates } = synthesise({
      ...readConfigFile('three-regions'),
      permissionsBoundaryArn,
    });
    for (const template of Object.values(templates)) {
      for (const { Properties } of Object.values(resourcesOf(template, 'AWS::IAM::Role'))) {
        expect(Properties['PermissionsBoundary']).toBe(permissionsBoundaryArn);
      }
    }
  });

  it('is absent if the config names none', () => {
    expect(JSON.stringify(single.toJSON())).not.toContain('PermissionsBoundary');
  });
});
