import type { NamedPolicy, PolicyDocument } from '../../emulator/iam/evaluate-request.ts';
import type { SynthesisedStack, TemplateResource } from './assembly.ts';
import { Resolver } from './resolver.ts';

/** A role with its policies in the templates. */
export interface SynthesisedRole {
  readonly arn: string;
  readonly name: string;
  readonly policies: readonly NamedPolicy[];
  /** ARN of the permissions boundary. */
  readonly boundaryArn?: string;
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

class PoliciesReader {
  readonly #stack: SynthesisedStack;
  readonly #resolver: Resolver;

  constructor(stack: SynthesisedStack) {
    this.#stack = stack;
    this.#resolver = new Resolver(stack);
  }

  read(): StackPolicies {
    return {
      roles: new Map(
        this.#resolver.each('AWS::Lambda::Function', (id, fn) => this.#readRoleOf(id, fn)),
      ),
      managed: new Map(
        this.#resolver.each('AWS::IAM::ManagedPolicy', (id, { Properties }) => {
          const name = this.#text(Properties['ManagedPolicyName'] ?? id);
          return [name, { name, document: this.#document(Properties['PolicyDocument']) }];
        }),
      ),
      permissions: this.#resolver.each('AWS::Lambda::Permission', (_, { Properties }) =>
        this.#readPermission(Properties),
      ),
      topics: new Map(
        this.#resolver
          .each('AWS::SNS::TopicPolicy', (_, { Properties }) => this.#readTopicPolicy(Properties))
          .flat(),
      ),
      rules: new Map(
        this.#resolver.each('AWS::Events::Rule', (id, rule) => this.#readRule(id, rule)).flat(),
      ),
    };
  }

  #text(value: unknown): string {
    return this.#resolver.resolveText(value);
  }

  #document(value: unknown): PolicyDocument {
    return this.#resolver.resolve(value) as PolicyDocument;
  }

  #readRoleOf(id: string, { Properties }: TemplateResource): readonly [string, SynthesisedRole] {
    const { 'Fn::GetAtt': [roleId = ''] = [] } = Properties['Role'] as {
      readonly 'Fn::GetAtt'?: readonly string[];
    };
    const role = this.#stack.resources.get(roleId);
    if (role === undefined) throw this.#resolver.misunderstood(`a role outside of it, in ${id}`);
    return [this.#text(Properties['FunctionName'] ?? id), this.#readRole(roleId, role)];
  }

  /** The rule of a schedule. Rules for events of AWS have topics as targets. */
  #readRule(id: string, { Properties }: TemplateResource): readonly (readonly [string, string])[] {
    if (Properties['ScheduleExpression'] === undefined) return [];
    const rule = this.#text({ 'Fn::GetAtt': [id, 'Arn'] });
    const targets = Properties['Targets'] as readonly { readonly Arn: unknown }[];
    return targets.map(({ Arn }) => [this.#text(Arn), rule]);
  }

  #readRole(id: string, { Properties }: TemplateResource): SynthesisedRole {
    const arn = this.#text({ 'Fn::GetAtt': [id, 'Arn'] });
    const name = arn.split('/').at(-1) ?? id;
    const own = this.#resolver.resolve(Properties['Policies'] ?? []) as readonly {
      readonly PolicyName: string;
      readonly PolicyDocument: PolicyDocument;
    }[];
    const { PermissionsBoundary: boundary } = Properties;
    return {
      arn,
      name,
      policies: [
        ...own.map(({ PolicyName, PolicyDocument }) => ({
          name: `${name}/${PolicyName}`,
          document: PolicyDocument,
        })),
        ...this.#attachedPolicies(id, name),
      ],
      ...(boundary !== undefined && { boundaryArn: this.#text(boundary) }),
    };
  }

  /** The CDK gives each role one policy, which is named after the role. */
  #attachedPolicies(roleId: string, roleName: string): readonly NamedPolicy[] {
    return this.#resolver
      .each('AWS::IAM::Policy', (_, { Properties }) => Properties)
      .filter(({ Roles }) => JSON.stringify(Roles ?? []).includes(`{"Ref":"${roleId}"}`))
      .map(({ PolicyDocument }, index) => ({
        name: index === 0 ? roleName : `${roleName}/${index + 1}`,
        document: this.#document(PolicyDocument),
      }));
  }

  #readTopicPolicy({
    Topics,
    PolicyDocument,
  }: TemplateResource['Properties']): readonly (readonly [string, NamedPolicy])[] {
    const document = this.#document(PolicyDocument);
    return (Topics as readonly unknown[]).map((topic) => {
      const arn = this.#text(topic);
      return [arn, { name: `policy of ${arn.split(':').at(-1)}`, document }];
    });
  }

  #readPermission(properties: TemplateResource['Properties']): InvokePermission {
    const { Action, Principal, SourceArn, SourceAccount } = properties;
    const functionArn = this.#text(properties['FunctionName']);
    const account = SourceAccount === undefined ? undefined : this.#text(SourceAccount);
    if (String(Principal).startsWith('arn:')) {
      // A role of another account.
      const statement = { Effect: 'Allow', Principal: { AWS: Principal }, Action };
      return { functionArn, statement: { ...statement, Resource: functionArn } };
    }
    return {
      functionArn,
      statement: {
        Effect: 'Allow',
        Principal: { Service: Principal },
        Action,
        Resource: functionArn,
        Condition: {
          ArnLike: { 'aws:SourceArn': this.#text(SourceArn) },
          ...(account !== undefined && { StringEquals: { 'aws:SourceAccount': account } }),
        },
      },
    };
  }
}

/** @throws {LocalRunError} for what the local run does not understand. */
export function readStackPolicies(stack: SynthesisedStack): StackPolicies {
  return new PoliciesReader(stack).read();
}
