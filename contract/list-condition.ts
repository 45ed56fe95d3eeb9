/** Keys of IAM conditions whose value is a list of what a request to DynamoDB touches. */
type ListKey = 'dynamodb:LeadingKeys' | 'dynamodb:Attributes';

/**
 * The conditions of an Allow under which a request may touch only these values. `ForAllValues` is
 * also true for a request without the list, so the list must be present.
 *
 * @param values of each list; patterns with `StringLike`.
 */
export function onlyValues(
  values: Readonly<Partial<Record<ListKey, readonly string[]>>>,
  operator: 'StringEquals' | 'StringLike' = 'StringEquals',
) {
  return {
    [`ForAllValues:${operator}`]: values,
    Null: Object.fromEntries(Object.keys(values).map((key) => [key, 'false'])),
  };
}

/** The condition that a request touches only items of these partitions. */
export function onlyItems(...partitionKeys: readonly string[]) {
  return onlyValues({ 'dynamodb:LeadingKeys': partitionKeys });
}
