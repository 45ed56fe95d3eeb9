// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { managementAliases } from '../../contract/management/roles.ts';
import { evaluateRequest } from '../../lab/emulator/iam/evaluate-request.ts';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { evaluate, readConfigFile, resourcesOf, type Synthesis, synthesise } from './synthesise.ts';

let three: Synthesis;
beforeAll(() => {
  three = synthesise({ ...readConfigFile('three-regions'), portal: portalConfig });
});

function region(id: string, of = three): Template {
  return of.templates[`AuthorizationServer-${id}`] as Template;
}

const dailyAliases = (template: Template) =>
  Object.values(resourcesOf(template, 'AWS::Lambda::Alias')).filter(
    ({ Properties }) => Properties['Name'] === 'daily-run',
  );

describe('the daily run', () => {
  it('is of the first region: its bus, its schedule and its alarm', () => {
    const template = region('slc');
    expect(Object.values(resourcesOf(template, 'AWS::Events::EventBus'))).toMatchObject([
      { Properties: { Name: 'authorization-server-notices' } },
    ]);
    expect(dailyAliases(template)).toHaveLength(1);
    const rules = Object.entries(resourcesOf(template, 'AWS::Events::Rule')).filter(([id]) =>
      id.startsWith('DailyRun'),
    );
    expect(rules).toMatchObject([
      [
        expect.any(String),
        {
          Properties: {
            ScheduleExpression: 'rate(15 minutes)',
            State: 'ENABLED',
            Targets: [{ Arn: { Ref: expect.stringContaining('Aliasdailyrun') }, Input: '{}' }],
          },
        },
      ],
    ]);
  });

  it.each([
    ['management', 'Allowed'],
    ['token', 'ExplicitlyDenied'],
  ])(
    'may send events to its bus as %s: %s, even if its role may do everything',
    async (name, result) => {
      const [busPolicy] = Object.values(resourcesOf(region('slc'), 'AWS::Events::EventBusPolicy'));
      const statement = evaluate(busPolicy?.Properties['Statement']);
      const roleArn = (role: string) => `arn:aws:iam::111122223333:role/${role}`;
      const bus = 'arn:aws:events:us-west-2:111122223333:event-bus/authorization-server-notices';
      const { 'aws:PrincipalArn': sender } = statement.Condition.ArnNotEquals;
      expect(sender).toContain('Management');
      const policy = (one: object) => ({ Version: '2012-10-17', Statement: [one] });
      const resource = policy({
        ...statement,
        Resource: bus,
        Condition: { ArnNotEquals: { 'aws:PrincipalArn': roleArn('management') } },
      });
      const mayAll = policy({ Effect: 'Allow', Action: '*', Resource: '*' });
      const decision = await evaluateRequest(
        {
          identity: [{ name: 'all', document: mayAll }],
          resource: { name: 'bus', document: resource },
        },
        {
          principal: `arn:aws:sts::111122223333:assumed-role/${name}/session`,
          action: 'events:PutEvents',
          resource: bus,
          account: '111122223333',
          context: { 'aws:PrincipalArn': roleArn(name) },
        },
      );
      expect(decision.result).toBe(result);
    },
  );

  it.each(['dfw', 'pit'])('has no part in %s, which reads its report', (id) => {
    const template = region(id);
    expect(resourcesOf(template, 'AWS::Events::EventBus')).toEqual({});
    expect(dailyAliases(template)).toEqual([]);
    const text = JSON.stringify(template.toJSON());
    expect(text).not.toContain('events:PutEvents');
    expect(text).not.toContain('daily-run');
    const granted = Object.values(resourcesOf(template, 'AWS::IAM::Policy'))
      .flatMap(({ Properties }) => evaluate(Properties['PolicyDocument'].Statement) as any[])
      .filter((statement) => JSON.stringify(statement).includes('daily_report'));
    expect(granted.map(({ Action }) => Action)).toEqual(['dynamodb:Query']);
  });

  it('is left out if the config says so', () => {
    const off = synthesise({ ...readConfigFile('three-regions'), notices: false });
    const text = JSON.stringify(region('slc', off).toJSON());
    for (const part of ['daily-run', 'events:PutEvents', 'authorization-server-notices']) {
      expect(text).not.toContain(part);
    }
  });

  it('cannot be begun by anyone whom a policy of the deployment allows an alias', () => {
    const documents = Object.values(three.templates).flatMap((template) =>
      ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
        Object.values(resourcesOf(template, type)).flatMap(
          ({ Properties }) => evaluate(Properties['PolicyDocument'].Statement) as any[],
        ),
      ),
    );
    const invoked = documents
      .filter(({ Action }) => [Action].flat().includes('lambda:InvokeFunction'))
      .flatMap(({ Resource }) => [Resource].flat() as string[])
      .filter((arn) => arn.includes('management'));
    expect(invoked.length).toBeGreaterThan(managementAliases.length);
    for (const arn of invoked) {
      expect(managementAliases).toContain(arn.split(':').at(-1));
    }
  });
});
