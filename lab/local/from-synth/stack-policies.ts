import type { NamedPolicy, PolicyDocument } from '../../emulator/iam/evaluate-request.ts';
import type { SynthesisedStack, TemplateResource } from './assembly.ts';
import { Resolver } from './resolver.ts';

/** A role with its policies in the templates. */
export interface SynthesisedRole {
  readonly arn: string;
  readonly name: string;
  readonly policies: readonly NamedPolicy[];
}

/** A permission to invoke a function. */
interface InvokePermission {
  /** ARN of the function, or of its alias. */
  readonly functionArn: string;
  readonly statement: object;
}

/** Policies of the templates, without intrinsic functions. */
export interface StackPolicies {
  /** Roles of functions by the function's name, or its logical id if it has no name. */
  readonly roles: ReadonlyMap<string, SynthesisedRole>;
  /** Managed policies, for operators, by name. */
  readonly managed: ReadonlyMap<string, NamedPolicy>;
  readonly permissions: readonly InvokePermission[];
  /** Policies of topics, by the topic's ARN. Alarms and rules publish to topics, functions do not. */
  readonly topics: ReadonlyMap<string, NamedPolicy>;
  /** ARN of the EventBridge rule that invokes a function, by the function's ARN. */
  readonly rules: ReadonlyMap<string, string>;
}

/** The role of a function, after the function's name. */
function readRoleOf(
  resolver: Resolver,
  id: string,
  { Properties }: TemplateResource,
): readonly [string, SynthesisedRole] {
  const { 'Fn::GetAtt': [roleId = ''] = [] } = Properties['Role'] as {
    readonly 'Fn::GetAtt'?: readonly string[];
  };
  const role = resolver.stack.resources.get(roleId);
  if (role === undefined) throw resolver.misunderstood(`a role outside of it, in ${id}`);
  const name = resolver.resolveText(Properties['FunctionName'] ?? id);
  return [name, readRole(resolver, roleId, role)];
}

function readRole(
  resolver: Resolver,
  id: string,
  { Properties }: TemplateResource,
): SynthesisedRole {
  const arn = resolver.resolveText({ 'Fn::GetAtt': [id, 'Arn'] });
  const name = arn.split('/').at(-1) ?? id;
  const own = resolver.resolve(Properties['Policies'] ?? []) as readonly {
    readonly PolicyName: string;
    readonly PolicyDocument: PolicyDocument;
  }[];
  if (Properties['PermissionsBoundary'] !== undefined) {
    throw resolver.misunderstood('a permissions boundary, whose policy it does not have');
  }
  return {
    arn,
    name,
    policies: [
      ...own.map(({ PolicyName, PolicyDocument }) => ({
        name: `${name}/${PolicyName}`,
        document: PolicyDocument,
      })),
      ...attachedPolicies(resolver, id, name),
    ],
  };
}

/** The CDK gives each role one policy, which is named after the role. */
function attachedPolicies(
  resolver: Resolver,
  roleId: string,
  roleName: string,
): readonly NamedPolicy[] {
  return resolver
    .each('AWS::IAM::Policy', (_, { Properties }) => Properties)
    .filter(({ Roles }) => JSON.stringify(Roles ?? []).includes(`{"Ref":"${roleId}"}`))
    .map(({ PolicyDocument }, index) => ({
      name: index === 0 ? roleName : `${roleName}/${index + 1}`,
      document: resolver.resolve(PolicyDocument) as PolicyDocument,
    }));
}

/** The functions of a schedule's rule. Rules for events of AWS have topics as targets. */
function readRule(
  resolver: Resolver,
  id: string,
  { Properties }: TemplateResource,
): readonly (readonly [string, string])[] {
  if (Properties['ScheduleExpression'] === undefined) return [];
  const rule = resolver.resolveText({ 'Fn::GetAtt': [id, 'Arn'] });
  const targets = Properties['Targets'] as readonly { readonly Arn: unknown }[];
  return targets.map(({ Arn }) => [resolver.resolveText(Arn), rule]);
}

function readTopicPolicy(
  resolver: Resolver,
  { Properties }: TemplateResource,
): readonly (readonly [string, NamedPolicy])[] {
  const document = resolver.resolve(Properties['PolicyDocument']) as PolicyDocument;
  return (Properties['Topics'] as readonly unknown[]).map((topic) => {
    const arn = resolver.resolveText(topic);
    return [arn, { name: `policy of ${arn.split(':').at(-1)}`, document }];
  });
}

function readPermission(resolver: Resolver, { Properties }: TemplateResource): InvokePermission {
  const { Action, Principal, SourceArn, SourceAccount } = Properties;
  const functionArn = resolver.resolveText(Properties['FunctionName']);
  const statement = { Effect: 'Allow', Action, Resource: functionArn };
  if (String(Principal).startsWith('arn:')) {
    // A role of another account.
    return { functionArn, statement: { ...statement, Principal: { AWS: Principal } } };
  }
  const Condition = {
    ArnLike: { 'aws:SourceArn': resolver.resolveText(SourceArn) },
    ...(SourceAccount !== undefined && {
      StringEquals: { 'aws:SourceAccount': resolver.resolveText(SourceAccount) },
    }),
  };
  return { functionArn, statement: { ...statement, Principal: { Service: Principal }, Condition } };
}

/** @throws {LocalRunError} for what the local run does not understand. */
export function readStackPolicies(stack: SynthesisedStack): StackPolicies {
  const resolver = new Resolver(stack);
  const managed = resolver.each('AWS::IAM::ManagedPolicy', (id, { Properties }) => {
    const name = resolver.resolveText(Properties['ManagedPolicyName'] ?? id);
    const document = resolver.resolve(Properties['PolicyDocument']) as PolicyDocument;
    return [name, { name, document }] as const;
  });
  const topics = resolver.each('AWS::SNS::TopicPolicy', (_, policy) =>
    readTopicPolicy(resolver, policy),
  );
  const rules = resolver.each('AWS::Events::Rule', (id, rule) => readRule(resolver, id, rule));
  return {
    roles: new Map(
      resolver.each('AWS::Lambda::Function', (id, fn) => readRoleOf(resolver, id, fn)),
    ),
    managed: new Map(managed),
    permissions: resolver.each('AWS::Lambda::Permission', (_, permission) =>
      readPermission(resolver, permission),
    ),
    topics: new Map(topics.flat()),
    rules: new Map(rules.flat()),
  };
}
