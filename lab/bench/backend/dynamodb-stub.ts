import { marshall } from '@aws-sdk/util-dynamodb';

export interface StubItem {
  readonly table: string;
  /** Value of the partition key, a string in every table. */
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
}

interface ReadRequest {
  readonly TableName: string;
  readonly Key?: Readonly<Record<string, { readonly S: string }>>;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

/** The attributes of an item that a read asks for: all of them, or those of a list. */
function project(
  item: object,
  { ProjectionExpression, ExpressionAttributeNames = {} }: ReadRequest,
): object {
  if (ProjectionExpression === undefined) return item;
  const places = ProjectionExpression.split(',').map((place) => place.trim());
  const names = new Set(places.map((place) => ExpressionAttributeNames[place] ?? place));
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

/** Answers reads from a fixed set of items. Takes writes, and keeps none. */
export class DynamoDbStub {
  readonly #items = new Map<string, object[]>();

  replaceItems(items: readonly StubItem[]): void {
    this.#items.clear();
    for (const { table, key, item } of items) {
      for (const place of [`${table}/${key}`, `${table}/`]) {
        this.#items.set(place, [...(this.#items.get(place) ?? []), marshall(item)]);
      }
    }
  }

  reply(operation: string, body: string): unknown {
    const request = JSON.parse(body) as ReadRequest;
    const { TableName, Key } = request;
    const key = Object.values(Key ?? {})[0]?.S ?? '';
    const found = this.#items.get(`${TableName}/${key}`) ?? [];
    switch (operation) {
      case 'GetItem':
        return found[0] === undefined ? {} : { Item: project(found[0], request) };
      case 'Query':
        return { Items: found, Count: found.length, ScannedCount: found.length };
      case 'PutItem':
      case 'UpdateItem':
        return {};
      default:
        throw new Error(`the DynamoDB stub does not know ${operation}`);
    }
  }
}
