import resourceTypes from './resource-types.json' with { type: 'json' };

/** What CloudFormation says of a resource type. Properties are paths, e.g. `Config/Type`. */
export interface ResourceType {
  /** An update that changes one of them replaces the resource. */
  readonly createOnly: readonly string[];
  /** Those by which the resource is known in its account. */
  readonly identifier: readonly string[];
}

const known: Readonly<Record<string, ResourceType>> = resourceTypes;

/** @throws {Error} if the type is not in the file. */
export function findResourceType(type: string): ResourceType {
  if (type.startsWith('Custom::')) return { createOnly: ['ServiceToken'], identifier: [] };
  const found = known[type];
  if (found !== undefined) return found;
  throw new Error(
    `resource-types.json: received ${type}; allowed: ${Object.keys(known).join(', ')}; add it with lab/tools/resource-types ${type}`,
  );
}
