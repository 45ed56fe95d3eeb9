import { isDeepStrictEqual } from 'node:util';
import resourceTypes from './resource-types.json' with { type: 'json' };
import { findReferences, type Template, type TemplateResource } from './template.ts';

/**
 * By type, the properties with which CloudFormation replaces a resource if they change: those that
 * are create-only, and those by which it is known in its account. They are paths, e.g.
 * `Config/Type`.
 */
const known: Readonly<Record<string, readonly string[]>> = resourceTypes;

/** @throws {Error} if the type is not in the file. */
function findReplacing(type: string): readonly string[] {
  if (type.startsWith('Custom::')) return ['ServiceToken'];
  const found = known[type];
  if (found !== undefined) return found;
  throw new Error(
    `resource-types.json: received ${type}; allowed: ${Object.keys(known).join(', ')}; add it with lab/tools/resource-types ${type}`,
  );
}

/** Types that hold data, have subscribers, or are the way to the service. */
const lasting: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::Backup::BackupVault',
  'AWS::DynamoDB::GlobalTable',
  'AWS::KMS::Key',
  'AWS::Logs::LogGroup',
  'AWS::Route53::RecordSet',
  'AWS::S3::Bucket',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
]);

/** Harm that an update from one template of a stack to another would do. */
interface Harm {
  readonly logicalId: string;
  /** In words, e.g. `AWS::SNS::Topic, named alarms: is replaced, because of TopicName`. */
  readonly what: string;
}

/**
 * Finds what an update would replace or remove although it is stateful, has a fixed name or is
 * named in an output. CloudFormation creates a replacement before it deletes the former resource, so
 * one with a fixed name fails the update. Two changes of indexes of one table fail it too, and so
 * does a policy of a replica that the update creates outside of the region of the stack.
 */
export function findHarm(before: Template, after: Template): readonly Harm[] {
  return [...findPoliciesOfNewReplicas(before, after), ...findLosses(before, after)];
}

function findLosses(before: Template, after: Template): readonly Harm[] {
  const replaced = findReplaced(before, after);
  const outputs = new Set(findReferences(before.Outputs));
  return Object.entries(before.Resources).flatMap(([logicalId, resource]) => {
    const later = after.Resources[logicalId];
    const indexes = later === undefined ? 0 : countIndexChanges(resource, later);
    const found: Harm[] = [];
    if (indexes > 1) {
      const what = `${resource.Type}: ${indexes} indexes change; allowed: one in each update`;
      found.push({ logicalId, what });
    }
    const reason = replaced.get(logicalId);
    const why = whyProtected(resource, outputs.has(logicalId));
    if (reason === undefined || why === undefined) return found;
    return [...found, { logicalId, what: `${resource.Type}, ${why}: ${reason}` }];
  });
}

/** @returns why a resource must stay, or undefined if it need not. */
function whyProtected(resource: TemplateResource, isOutput: boolean): string | undefined {
  const name = findFixedName(resource);
  if (name !== undefined) return `named ${name}`;
  if (lasting.has(resource.Type)) return 'which must stay';
  return isOutput ? 'named in an output' : undefined;
}

/** The name that the template gives, if CloudFormation does not make it or take it from a resource. */
function findFixedName({ Type, Properties = {} }: TemplateResource): string | undefined {
  const names = findReplacing(Type).filter((path) => path.endsWith('Name'));
  const given = names.map((path) => Properties[path]);
  return given.find((value): value is string => typeof value === 'string');
}

/** Why each resource is removed or replaced, by its logical id. */
function findReplaced(before: Template, after: Template): ReadonlyMap<string, string> {
  const replaced = new Map<string, string>();
  let known = -1;
  // A replaced resource has another id, which may replace what refers to it.
  while (replaced.size > known) {
    known = replaced.size;
    for (const [logicalId, resource] of Object.entries(before.Resources)) {
      const reason = whyReplaced(resource, after.Resources[logicalId], replaced);
      if (reason !== undefined) replaced.set(logicalId, reason);
    }
  }
  return replaced;
}

function whyReplaced(
  before: TemplateResource,
  after: TemplateResource | undefined,
  replaced: ReadonlyMap<string, string>,
): string | undefined {
  if (after === undefined) return 'is removed';
  if (after.Type !== before.Type) return `is replaced, because its type becomes ${after.Type}`;
  const changed = findReplacing(before.Type).filter((path) => {
    const value = valueAt(after, path);
    const isOther = !isDeepStrictEqual(valueAt(before, path), value);
    return isOther || findReferences(value).some((id) => replaced.has(id));
  });
  return changed.length === 0 ? undefined : `is replaced, because of ${changed.join(', ')}`;
}

function valueAt({ Properties }: TemplateResource, path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null
          ? (value as Readonly<Record<string, unknown>>)[key]
          : undefined,
      Properties,
    );
}

interface Replica {
  readonly Region: string;
  readonly ResourcePolicy?: unknown;
}

const replicasOf = (resource: TemplateResource | undefined) =>
  (resource?.Properties?.['Replicas'] ?? []) as readonly Replica[];

/** Of the replicas of a new table, one is in the region of the stack and may have a policy. */
function findPoliciesOfNewReplicas(before: Template, after: Template): readonly Harm[] {
  return Object.entries(after.Resources).flatMap(([logicalId, resource]) => {
    const former = before.Resources[logicalId];
    const known = new Set(replicasOf(former).map(({ Region }) => Region));
    const added = replicasOf(resource).filter(
      ({ Region, ResourcePolicy }) => ResourcePolicy !== undefined && !known.has(Region),
    );
    if (added.length <= (former === undefined ? 1 : 0)) return [];
    const regions = added.map(({ Region }) => Region).join(', ');
    return [{ logicalId, what: `${resource.Type}: new replicas with a policy: ${regions}` }];
  });
}

interface Index {
  readonly IndexName: string;
  readonly KeySchema: unknown;
  readonly Projection: unknown;
}

/** What an index is, by its name. */
function indexesOf({ Properties }: TemplateResource) {
  const indexes = (Properties?.['GlobalSecondaryIndexes'] ?? []) as readonly Index[];
  return new Map(
    indexes.map(({ IndexName, KeySchema, Projection }) => [IndexName, [KeySchema, Projection]]),
  );
}

/** DynamoDB creates or deletes one global secondary index of a table at a time. */
function countIndexChanges(before: TemplateResource, after: TemplateResource): number {
  const [old, current] = [indexesOf(before), indexesOf(after)];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  return names.reduce((count, name) => {
    if (isDeepStrictEqual(old.get(name), current.get(name))) return count;
    // Another key or projection needs a deletion and a creation.
    return count + (old.has(name) && current.has(name) ? 2 : 1);
  }, 0);
}
