import { recentChangeWithin } from '../../../contract/bounds.ts';
import { tables } from '../../../contract/tables.ts';
import type { Clock } from '../../../core/time.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { FindRecent } from '../stores/read-items.ts';
import { isIn } from './read-page.ts';

const { partitionKey, sortKey } = tables.audit;

/** Reads of 1 MiB each, of some 600 changes. More than these are not made in so short a time. */
const maxReads = 3;

/** Names for values, e.g. `{ ':g0': 'tg-1' }`. */
function nameValues(prefix: string, values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value, index) => [`:${prefix}${index}`, value]));
}

function oneOf(values: Readonly<Record<string, string>>): string {
  return `(${Object.keys(values).join(', ')})`;
}

/**
 * Finds recent changes in the region's audit, which has the intent of each change before it is
 * made. Its reads are strongly consistent, unlike those of an index.
 *
 * @param table name of the audit.
 * @param clock milliseconds since the epoch.
 */
export function createFindRecent(
  dynamodb: DynamoDbDocuments,
  table: string,
  clock: Clock,
): FindRecent {
  const readDay = async (
    { day, since, text }: { day: string; since: string; text: string | undefined },
    filter: ReturnType<typeof filterOf>,
  ) => {
    const subjects: string[] = [];
    let start: Record<string, unknown> | undefined;
    for (let reads = 0; reads < maxReads; reads++) {
      const page = await callAws('DynamoDB', `list recent changes of ${table}`, () =>
        dynamodb.query({
          TableName: table,
          ...filter,
          KeyConditionExpression: '#day = :day AND #id >= :since',
          ExpressionAttributeNames: filter.ExpressionAttributeNames,
          ExpressionAttributeValues: {
            ...filter.ExpressionAttributeValues,
            ':day': day,
            ':since': since,
          },
          ScanIndexForward: false,
          ConsistentRead: true,
          ExclusiveStartKey: start,
        }),
      );
      const found = (page.Items ?? []).filter(({ subject, after }) =>
        isIn(text, [subject, (after as { readonly name?: unknown } | undefined)?.name]),
      );
      subjects.push(...found.map(({ subject }) => String(subject)));
      start = page.LastEvaluatedKey;
      if (start === undefined) break;
    }
    return subjects;
  };
  return async (actions, trunkGroups, text) => {
    const now = clock();
    const since = new Date(now - recentChangeWithin).toISOString();
    const filter = filterOf(actions, trunkGroups);
    const days = new Set([since, new Date(now).toISOString()].map((time) => time.slice(0, 10)));
    const found = await Promise.all([...days].map((day) => readDay({ day, since, text }, filter)));
    return [...new Set(found.flat())];
  };
}

function filterOf(actions: readonly string[], trunkGroups: readonly string[] | undefined) {
  const byAction = nameValues('a', actions);
  const byGroup = trunkGroups && nameValues('g', trunkGroups);
  return {
    FilterExpression: `#outcome = :intended AND #action IN ${oneOf(byAction)}${
      byGroup === undefined ? '' : ` AND #after.#group IN ${oneOf(byGroup)}`
    }`,
    ProjectionExpression: '#subject, #after.#name',
    ExpressionAttributeNames: {
      '#day': partitionKey,
      '#id': sortKey,
      '#outcome': 'outcome',
      '#action': 'action',
      '#subject': 'subject',
      '#after': 'after',
      '#name': 'name',
      ...(byGroup && { '#group': 'service_trunk_group' }),
    },
    ExpressionAttributeValues: { ...byAction, ...byGroup, ':intended': 'intended' },
  };
}
