import * as v from 'valibot';
import { localApi } from '../../emulator/gateway/request-context.ts';
import type { TableDefinition } from '../../support/create-tables.ts';
import type { SynthesisedStack, TemplateResource } from './assembly.ts';
import { Resolver, rootResource } from './resolver.ts';
import { readStackPolicies, type StackPolicies } from './stack-policies.ts';

export interface SynthesisedFunction {
  readonly name: string;
  /** Folder of the code that would be uploaded. */
  readonly directory: string;
  /** `<module>.<export>`. */
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether Lambda sends traces of it to X-Ray. */
  readonly isTraced: boolean;
}

/** The parts of the templates that the local run uses. */
export interface StackContents {
  readonly awsRegion: string;
  readonly tables: readonly TableDefinition[];
  /** By name. */
  readonly functions: ReadonlyMap<string, SynthesisedFunction>;
  /** Name of the function that answers a path, by path. */
  readonly routes: ReadonlyMap<string, string>;
  /** ARN of the function, or of its alias, that API Gateway invokes, by path. */
  readonly integrations: ReadonlyMap<string, string>;
  readonly policies: StackPolicies;
  /** Addresses of the API: its own host, and its domains. */
  readonly addresses: readonly string[];
}

const keySchema = v.array(
  v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }),
);

/** Of an index that has some attributes; another projection is not understood. */
const indexSchema = v.object({
  IndexName: v.string(),
  KeySchema: keySchema,
  Projection: v.object({
    ProjectionType: v.literal('INCLUDE'),
    NonKeyAttributes: v.array(v.string()),
  }),
});

const maxIndexes = 1;

type Keys = v.InferOutput<typeof keySchema>;

function readKeys(keys: Keys) {
  const named = (type: Keys[number]['KeyType']) =>
    keys.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return { partitionKey: named('HASH') ?? '', sortKey: named('RANGE') };
}

const functionSchema = v.object({
  FunctionName: v.string(),
  Handler: v.string(),
  Runtime: v.literal('nodejs24.x'),
  MemorySize: v.number(),
  Timeout: v.number(),
  Code: v.object({ S3Key: v.string() }),
  Environment: v.object({ Variables: v.record(v.string(), v.string()) }),
  TracingConfig: v.optional(v.object({ Mode: v.string() })),
});

/** The function within the address that API Gateway calls. */
const integrationUri = /(arn:[\w-]+:lambda:[^/]+:function:[^:/]+(?::[^:/]+)?)\/invocations$/;

function readTable(resolver: Resolver, { Properties }: TemplateResource): TableDefinition {
  const { partitionKey, sortKey } = readKeys(v.parse(keySchema, Properties['KeySchema']));
  return {
    name: resolver.resolveText(Properties['TableName']),
    partitionKey,
    ...(sortKey === undefined ? {} : { sortKey }),
    ...readIndex(Properties['GlobalSecondaryIndexes'] ?? []),
  };
}

function readIndex(given: unknown): Pick<TableDefinition, 'index'> {
  const [index] = v.parse(v.pipe(v.array(indexSchema), v.maxLength(maxIndexes)), given);
  if (index === undefined) return {};
  const { partitionKey, sortKey = '' } = readKeys(index.KeySchema);
  const projected = index.Projection.NonKeyAttributes;
  return { index: { name: index.IndexName, partitionKey, sortKey, projected } };
}

/** The service's functions. Those that the CDK adds for its own custom resources have no name. */
function readFunctions(resolver: Resolver): readonly SynthesisedFunction[] {
  return resolver
    .each('AWS::Lambda::Function', (_, { Properties }) => Properties)
    .filter((properties) => properties['FunctionName'] !== undefined)
    .map((properties) => readFunction(resolver, properties));
}

function readFunction(
  resolver: Resolver,
  properties: TemplateResource['Properties'],
): SynthesisedFunction {
  const names = Object.keys(functionSchema.entries);
  const wanted = Object.entries(properties).filter(([name]) => names.includes(name));
  const found = v.parse(functionSchema, resolver.resolve(Object.fromEntries(wanted)));
  const directory = resolver.stack.assets.get(found.Code.S3Key);
  if (directory === undefined) throw resolver.misunderstood(`${found.Code.S3Key}, no asset of it`);
  return {
    name: found.FunctionName,
    directory,
    handler: found.Handler,
    memoryMb: found.MemorySize,
    timeoutMs: found.Timeout * 1000,
    variables: found.Environment.Variables,
    isTraced: found.TracingConfig?.Mode === 'Active',
  };
}

/** `ANY` matches every method, so its function is the path's. */
function readIntegrations(resolver: Resolver): ReadonlyMap<string, string> {
  const routes = new Map<string, string>();
  resolver.each('AWS::ApiGateway::Method', (_, { Properties }) => {
    const path = pathOf(resolver, Properties['ResourceId']);
    const uri = resolver.resolveText(
      (Properties['Integration'] as Readonly<Record<string, unknown>>)['Uri'],
    );
    const arn = integrationUri.exec(uri)?.[1];
    if (arn === undefined) throw resolver.misunderstood(`the integration ${uri}`);
    if (routes.has(path) && routes.get(path) !== arn) {
      throw resolver.misunderstood(`two functions for ${path}`);
    }
    routes.set(path, arn);
  });
  return routes;
}

function pathOf(resolver: Resolver, resourceId: unknown): string {
  const id = resolver.resolveText(resourceId);
  if (id === rootResource) return '';
  const { ParentId, PathPart } = resolver.stack.resources.get(id)?.Properties ?? {};
  return `${pathOf(resolver, ParentId)}/${resolver.resolveText(PathPart)}`;
}

function readAddresses(resolver: Resolver): readonly string[] {
  const { awsRegion } = resolver.stack;
  const own = resolver.each(
    'AWS::ApiGateway::Stage',
    (_, { Properties }) =>
      `https://${localApi.apiId}.execute-api.${awsRegion}.amazonaws.com/${resolver.resolveText(Properties['StageName'])}`,
  );
  const domains = resolver.each(
    'AWS::ApiGateway::DomainName',
    (_, { Properties }) => `https://${resolver.resolveText(Properties['DomainName'])}`,
  );
  return [...own, ...domains];
}

/** @throws {LocalRunError} for what the local run does not understand. */
export function readStackContents(stack: SynthesisedStack): StackContents {
  const resolver = new Resolver(stack);
  const integrations = readIntegrations(resolver);
  return {
    awsRegion: stack.awsRegion,
    tables: resolver.each('AWS::DynamoDB::GlobalTable', (_, table) => readTable(resolver, table)),
    functions: new Map(readFunctions(resolver).map((fn) => [fn.name, fn])),
    routes: new Map([...integrations].map(([path, arn]) => [path, arn.split(':')[6] ?? ''])),
    integrations,
    addresses: readAddresses(resolver),
    policies: readStackPolicies(stack),
  };
}
