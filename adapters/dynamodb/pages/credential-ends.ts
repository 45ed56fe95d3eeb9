import * as v from 'valibot';
import { maxNameLength, maxServiceTrunkGroupLength } from '../../../contract/bounds.ts';
import { endsAttribute, tables, trunkGroupIndex } from '../../../contract/tables.ts';
import type {
  CredentialEndReader,
  CredentialEnds,
  ExpiringCredential,
} from '../../../core/credential/credential-ends.ts';
import { refuseInput } from '../../../core/management/read-input.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { type Item, text, textUpTo } from '../items/item.ts';
import { idOf, readIndex } from './read-page.ts';

const { name: IndexName, partitionKey: groupKey, sortKey: nameKey } = trunkGroupIndex;

/** Reads of 1 MiB for one page, each of some 7,000 clients. */
const maxReads = 4;

/** Reads for one page of a restricted caller: one or more for each table and trunk group. */
const maxGroupReads = 40;

/** A page ends when it has so many: an answer of management has up to 700 bytes for each. */
const maxFound = 5000;

/** A part of the list: a table, and the trunk group of which it is read. */
interface Source {
  readonly kind: ExpiringCredential['kind'];
  readonly table: string;
  readonly partitionKey: string;
  readonly group: string | undefined;
}

/** The number of a source, and the last entry of it that was read. */
const positionSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.strictTuple([v.number()]),
    v.strictTuple([
      v.number(),
      textUpTo(maxServiceTrunkGroupLength),
      textUpTo(maxNameLength),
      text,
    ]),
  ]),
);

function readSource(dynamodb: DynamoDbDocuments, { table, group }: Source, start?: Item) {
  const input = {
    TableName: table,
    IndexName,
    ExclusiveStartKey: start,
    FilterExpression: 'attribute_exists(#ends)',
    ExpressionAttributeNames: { '#ends': endsAttribute },
  };
  return readIndex(table, 'list the ends in', () =>
    group === undefined
      ? dynamodb.scan(input)
      : dynamodb.query({
          ...input,
          KeyConditionExpression: '#group = :group',
          ExpressionAttributeNames: { ...input.ExpressionAttributeNames, '#group': groupKey },
          ExpressionAttributeValues: { ':group': group },
        }),
  );
}

function credentialsOf(item: Item, { kind, partitionKey }: Source): readonly ExpiringCredential[] {
  const id = String(idOf(item, partitionKey));
  const of = { kind, serviceTrunkGroup: String(item[groupKey]), name: String(item[nameKey]), id };
  return Object.entries(item[endsAttribute] as CredentialEnds).map(([ended, expiresAt]) => {
    const valueId = ended === id ? undefined : ended.replace(`${id}/`, '');
    return { ...of, valueId, expiresAt };
  });
}

/** The ends of credentials in the indexes by trunk group, which have nothing else but names. */
export function createDynamoDbCredentialEnds(
  dynamodb: DynamoDbDocuments,
  names: { readonly clients: string; readonly apiKeys: string },
): CredentialEndReader {
  const sourcesOf = (group: string | undefined): readonly Source[] => [
    { ...tables.clients, kind: 'client_secret', table: names.clients, group },
    { ...tables.apiKeys, kind: 'api_key', table: names.apiKeys, group },
  ];
  return {
    readEnds: async ({ trunkGroups, between: [begin, end], after }) => {
      const groups = trunkGroups === undefined ? [undefined] : [...new Set(trunkGroups)].toSorted();
      const sources = groups.flatMap(sourcesOf);
      let { index, start } = readPosition(sources, after);
      const items: ExpiringCredential[] = [];
      let examined = 0;
      const most = trunkGroups === undefined ? maxReads : maxGroupReads;
      for (let reads = 0; reads < most && sources[index] !== undefined; reads++) {
        const source = sources[index] as Source;
        const page = await readSource(dynamodb, source, start);
        examined += page.ScannedCount ?? 0;
        for (const item of page.Items ?? []) {
          const found = credentialsOf(item, source);
          items.push(...found.filter(({ expiresAt: at }) => at > begin && at <= end));
          if (items.length >= maxFound) {
            return { items, examined, next: formatPosition(sources, index, item) };
          }
        }
        start = page.LastEvaluatedKey;
        if (start === undefined) index += 1;
      }
      return { items, examined, next: formatPosition(sources, index, start) };
    },
  };
}

/** @returns undefined at the end of the list. */
function formatPosition(sources: readonly Source[], index: number, start?: Item) {
  const source = sources[index];
  if (source === undefined) return undefined;
  const key = start && [groupKey, nameKey, source.partitionKey].map((name) => start[name]);
  return JSON.stringify([index, ...(key ?? [])]);
}

/** @throws {InputError} for a position that is not in these sources. */
function readPosition(sources: readonly Source[], after = '[0]'): { index: number; start?: Item } {
  const position = v.safeParse(positionSchema, after);
  const [index = 0, group, name = '', id = ''] = position.success ? position.output : [];
  const source = sources[index];
  // Without a trunk group, there is nothing to read.
  if (position.success && group === undefined && (source ?? sources[0]) === source)
    return { index };
  const isIn = source !== undefined && (source.group ?? group) === group;
  if (group === undefined || !isIn) {
    return refuseInput('cursor', after, 'the nextCursor of a page of the same list');
  }
  return { index, start: { [groupKey]: group, [nameKey]: name, [source.partitionKey]: id } };
}
