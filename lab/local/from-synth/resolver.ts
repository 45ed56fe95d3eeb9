import { localApi } from '../../emulator/gateway/request-context.ts';
import { LocalRunError } from '../../emulator/loopback-server.ts';
import type { SynthesisedStack, TemplateResource } from './assembly.ts';

/** The value of `Ref` or `Fn::GetAtt` of a resource when it exists. */
type Attribute = (id: string, resource: TemplateResource, resolver: Resolver) => unknown;

/** A version that no real function has. */
const onlyVersion = '1';

function nameOf(property: string): Attribute {
  return (id, { Properties }, resolver) => resolver.resolve(Properties[property] ?? id);
}

/** An ARN of the account: `table/` before the name of a table, and so on. */
function arnOf(service: string, before: string, name: Attribute, after = ''): Attribute {
  return (id, resource, resolver) => {
    const region = service === 'iam' ? '' : resolver.stack.awsRegion;
    const value = String(name(id, resource, resolver));
    return `arn:aws:${service}:${region}:${localApi.accountId}:${before}${value}${after}`;
  };
}

/** `FunctionName` of a version or an alias is a name, never an ARN, if the CDK writes it. */
const functionArn = arnOf('lambda', 'function:', nameOf('FunctionName'));

const refs: Readonly<Record<string, Attribute>> = {
  'AWS::ApiGateway::DomainName': nameOf('DomainName'),
  'AWS::ApiGateway::Resource': (id) => id,
  'AWS::ApiGateway::RestApi': () => localApi.apiId,
  'AWS::DynamoDB::GlobalTable': nameOf('TableName'),
  'AWS::Lambda::Alias': (id, resource, resolver) =>
    `${String(functionArn(id, resource, resolver))}:${String(resource.Properties['Name'])}`,
  'AWS::Lambda::Function': nameOf('FunctionName'),
  'AWS::Lambda::Version': arnOf('lambda', 'function:', nameOf('FunctionName'), `:${onlyVersion}`),
  // Secrets Manager adds six random characters to a name.
  'AWS::SecretsManager::Secret': arnOf('secretsmanager', 'secret:', nameOf('Name'), '-AbCdEf'),
  'AWS::SNS::Topic': arnOf('sns', '', nameOf('TopicName')),
};

const attributes: Readonly<Record<string, Attribute>> = {
  'AWS::DynamoDB::GlobalTable Arn': arnOf('dynamodb', 'table/', nameOf('TableName')),
  'AWS::Events::EventBus Arn': arnOf('events', 'event-bus/', nameOf('Name')),
  'AWS::Events::Rule Arn': arnOf('events', 'rule/', nameOf('Name')),
  'AWS::IAM::Role Arn': arnOf('iam', 'role/', nameOf('RoleName')),
  'AWS::ApiGateway::RestApi RootResourceId': () => rootResource,
  'AWS::Lambda::Function Arn': functionArn,
  'AWS::Logs::LogGroup Arn': arnOf('logs', 'log-group:', nameOf('LogGroupName'), ':*'),
  'AWS::Lambda::Version Version': () => onlyVersion,
};

/** Id of the resource `/` of the API. */
export const rootResource = '/';

type Intrinsic = (argument: unknown, resolver: Resolver) => unknown;

/** `${Name}` or `${Name.Attribute}`; `${!Name}` is a literal. */
const subReference = /\$\{(!?)([^}]+)\}/g;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, resolver) => resolver.ref(String(name)),
  'Fn::GetAtt': (argument, resolver) => {
    const [id, ...attribute] =
      typeof argument === 'string' ? argument.split('.') : (argument as []);
    return resolver.attribute(String(id), attribute.join('.'));
  },
  'Fn::Join': (argument, resolver) => {
    const [separator, parts] = argument as readonly [string, readonly unknown[]];
    return parts.map((part) => resolver.resolveText(part)).join(separator);
  },
  'Fn::Sub': (argument, resolver) => {
    if (typeof argument !== 'string') throw resolver.misunderstood('Fn::Sub with variables');
    return argument.replaceAll(subReference, (_, literal: string, name: string) => {
      if (literal === '!') return `\${${name}}`;
      const [id = '', ...attribute] = name.split('.');
      const value =
        attribute.length === 0 ? resolver.ref(id) : resolver.attribute(id, attribute.join('.'));
      return String(value);
    });
  },
};

/**
 * Resolves the intrinsic functions of a template, as CloudFormation would when the resources exist.
 * An unknown function is an error, never a guess.
 */
export class Resolver {
  readonly stack: SynthesisedStack;
  readonly #pseudoParameters: Readonly<Record<string, string>>;

  constructor(stack: SynthesisedStack) {
    this.stack = stack;
    this.#pseudoParameters = {
      'AWS::AccountId': localApi.accountId,
      'AWS::Partition': 'aws',
      'AWS::Region': stack.awsRegion,
      'AWS::StackName': stack.name,
      'AWS::URLSuffix': 'amazonaws.com',
    };
  }

  /** Reads every resource of a type, with its logical id. */
  each<T>(type: string, read: (id: string, resource: TemplateResource) => T): readonly T[] {
    return [...this.stack.resources]
      .filter(([, resource]) => resource.Type === type)
      .map(([id, resource]) => read(id, resource));
  }

  /** @throws {LocalRunError} for what the local run does not understand. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name = '', argument] = entries[0] ?? [];
    const isIntrinsic = entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'));
    if (!isIntrinsic) {
      return Object.fromEntries(entries.map(([key, item]) => [key, this.resolve(item)]));
    }
    const intrinsic = Object.hasOwn(intrinsics, name) ? intrinsics[name] : undefined;
    if (intrinsic === undefined) throw this.misunderstood(name);
    return intrinsic(argument, this);
  }

  /** @throws {LocalRunError} if the value is not text. */
  resolveText(value: unknown): string {
    const text = this.resolve(value);
    if (typeof text === 'string') return text;
    throw this.misunderstood(`${JSON.stringify(value)} in place of text`);
  }

  ref(name: string): unknown {
    const pseudoParameter = this.#pseudoParameters[name];
    if (pseudoParameter !== undefined) return pseudoParameter;
    const resource = this.#resource(name);
    const ref = refs[resource.Type];
    if (ref === undefined) throw this.misunderstood(`Ref of ${name} (${resource.Type})`);
    return ref(name, resource, this);
  }

  attribute(id: string, name: string): unknown {
    const resource = this.#resource(id);
    const attribute = attributes[`${resource.Type} ${name}`];
    if (attribute === undefined) {
      throw this.misunderstood(`Fn::GetAtt ${name} of ${id} (${resource.Type})`);
    }
    return attribute(id, resource, this);
  }

  misunderstood(what: string): LocalRunError {
    return new LocalRunError(
      `the template of ${this.stack.name} uses ${what}, which the local run does not understand`,
    );
  }

  #resource(id: string): TemplateResource {
    const resource = this.stack.resources.get(id);
    if (resource === undefined) throw this.misunderstood(`${id}, which is no resource of it`);
    return resource;
  }
}
