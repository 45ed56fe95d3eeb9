import type { ServerResponse } from 'node:http';
import dynaliteDb, { type DynaliteStore } from 'dynalite/db/index.js';
import { AwsError, contentTypes, sendAnswer } from './aws-server/aws-error.ts';
import type { VerifiedRequest } from './aws-server/verify-signature.ts';

/** When an index has what its table has. By default, at once. */
export interface IndexTiming {
  /** Is waited for before a new index of an existing table is filled. */
  readonly beforeFill?: (() => Promise<void>) | undefined;
  /** Receives each write to an index. DynamoDB acknowledges the item's write before it makes it. */
  readonly defer?: ((write: () => void) => void) | undefined;
}

interface Index {
  readonly IndexName: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: unknown;
  readonly IndexStatus?: 'CREATING' | 'ACTIVE';
  readonly Backfilling?: boolean;
}

/** What dynalite keeps of a table. */
interface Table {
  readonly TableName: string;
  readonly TableArn: string;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string }[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
}

type Attributes = Readonly<Record<string, unknown>>;

interface UpdateTableInput {
  readonly TableName: string;
  readonly AttributeDefinitions?: Table['AttributeDefinitions'];
  readonly GlobalSecondaryIndexUpdates: readonly {
    readonly Create?: Index;
    readonly Delete?: Pick<Index, 'IndexName'>;
  }[];
}

/** Calls a method of dynalite, whose last argument is a callback. */
function run(method: (...given: never[]) => void, ...given: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, value: unknown) => {
      if (error === null || error === undefined) resolve(value);
      else reject(new Error('dynalite failed', { cause: error }));
    };
    method(...(given as never[]), done as never);
  });
}

function refuse(type: string, message: string): never {
  throw new AwsError(type, message);
}

const oneAtATime =
  'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table';

function readInput(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>;
  } catch {
    // dynalite refuses it.
    return {};
  }
}

/** A table without some of its indexes, and with another. */
function withIndexes(table: Table, indexes: readonly Index[]): Table {
  const { GlobalSecondaryIndexes: _, ...rest } = table;
  return indexes.length === 0 ? rest : { ...rest, GlobalSecondaryIndexes: indexes };
}

/**
 * What dynalite lacks of global secondary indexes: to add one to a table, which is then filled, and
 * to remove one. An index cannot be read until it is filled.
 */
export class TableIndexes {
  readonly #store: DynaliteStore;
  readonly #timing: IndexTiming;
  readonly #filling = new Set<string>();

  constructor(store: DynaliteStore, timing: IndexTiming) {
    this.#store = store;
    this.#timing = timing;
    const { defer } = timing;
    if (defer === undefined) return;
    const open = store.getIndexDb;
    store.getIndexDb = (...given) => {
      const index = open(...given);
      const later =
        (write: typeof index.put): typeof index.put =>
        (...args) => {
          const done = args.at(-1) as (error: unknown) => void;
          defer(() => write(...args.slice(0, -1), () => undefined));
          setImmediate(done, null);
        };
      return { ...index, put: later(index.put), del: later(index.del) };
    };
  }

  /**
   * @returns whether this answered the request; dynalite answers all others.
   * @throws {AwsError} for a read of an index that is not filled yet.
   */
  async answer({ headers, body }: VerifiedRequest, response: ServerResponse): Promise<boolean> {
    const operation = headers['x-amz-target']?.toString().split('.')[1] ?? '';
    if (!['DescribeTable', 'Query', 'Scan', 'UpdateTable'].includes(operation)) return false;
    const input = readInput(body);
    if (operation === 'UpdateTable') {
      if (!Array.isArray(input['GlobalSecondaryIndexUpdates'])) return false;
      this.#send(response, { TableDescription: await this.#update(input as never) });
      return true;
    }
    if (operation !== 'DescribeTable' && input['IndexName'] === undefined) return false;
    await this.#checkFilled(String(input['TableName']), input['IndexName']);
    return false;
  }

  #send(response: ServerResponse, answer: object): void {
    const headers = { 'content-type': contentTypes.dynamodb };
    sendAnswer(response, { status: 200, headers, body: Buffer.from(JSON.stringify(answer)) });
  }

  async #find(name: string): Promise<Table | undefined> {
    const found = run(this.#store.tableDb.get, name).catch(() => undefined);
    return (await found) as Table | undefined;
  }

  async #put(table: Table): Promise<void> {
    await run(this.#store.tableDb.put, table.TableName, table);
  }

  async #checkFilled(name: string, read: unknown): Promise<void> {
    const table = await this.#find(name);
    for (const { IndexName, IndexStatus } of table?.GlobalSecondaryIndexes ?? []) {
      if (IndexStatus !== 'CREATING') continue;
      // The process may have ended while it was filled.
      this.#startFilling(name, IndexName);
      if (IndexName !== read) continue;
      refuse(
        'ValidationException',
        `Cannot read from backfilling global secondary index: ${IndexName}`,
      );
    }
  }

  async #update(input: UpdateTableInput): Promise<Table> {
    const { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: updates } = input;
    const table = await this.#find(TableName);
    if (table === undefined) {
      refuse('ResourceNotFoundException', `Requested resource not found: Table: ${TableName}`);
    }
    const present = table.GlobalSecondaryIndexes ?? [];
    const [{ Create, Delete } = {}] = updates;
    if (updates.length !== 1 || present.some(({ IndexStatus }) => IndexStatus === 'CREATING')) {
      refuse('LimitExceededException', oneAtATime);
    }
    const exists = (index: Pick<Index, 'IndexName'>) =>
      present.some(({ IndexName }) => IndexName === index.IndexName);
    if (Delete !== undefined) {
      const { IndexName } = Delete;
      if (!exists(Delete)) refuse('ResourceNotFoundException', 'Requested resource not found');
      const kept = withIndexes(
        table,
        present.filter((index) => index.IndexName !== IndexName),
      );
      await this.#put(kept);
      await run(this.#store.deleteIndexDb, 'Global', TableName, IndexName);
      return kept;
    }
    if (Create === undefined) refuse('ValidationException', 'allowed here: Create, Delete');
    if (exists(Create)) {
      refuse('ValidationException', 'Attempting to create an index which already exists');
    }
    const created = { ...table, AttributeDefinitions: AttributeDefinitions ?? [] };
    const defined = created.AttributeDefinitions.map(({ AttributeName }) => AttributeName);
    if (Create.KeySchema.some(({ AttributeName }) => !defined.includes(AttributeName))) {
      refuse('ValidationException', 'AttributeDefinitions lacks a key of the index');
    }
    const index = {
      ...Create,
      IndexArn: `${table.TableArn}/index/${Create.IndexName}`,
      IndexStatus: 'CREATING' as const,
      Backfilling: true,
    };
    const updated = withIndexes(created, [...present, index]);
    await this.#put(updated);
    this.#startFilling(TableName, Create.IndexName);
    return updated;
  }

  #startFilling(table: string, index: string): void {
    const id = `${table}/${index}`;
    if (this.#filling.has(id)) return;
    this.#filling.add(id);
    // A closed database ends it; the next process continues.
    this.#fill(table, index)
      .catch(() => undefined)
      .finally(() => this.#filling.delete(id));
  }

  async #fill(tableName: string, indexName: string): Promise<void> {
    await this.#timing.beforeFill?.();
    const table = await this.#find(tableName);
    const index = table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === indexName);
    if (table === undefined || index === undefined) return;
    const items = this.#store.getItemDb(tableName).createValueStream({});
    for await (const item of items) {
      await this.#fillItem(table, dynaliteDb.createKey(item as Attributes, table), index);
    }
    const now = await this.#find(tableName);
    if (now === undefined) return;
    const filled = (now.GlobalSecondaryIndexes ?? []).map((one) => {
      if (one.IndexName !== indexName) return one;
      const { Backfilling: _, ...rest } = one;
      return { ...rest, IndexStatus: 'ACTIVE' as const };
    });
    await this.#put(withIndexes(now, filled));
  }

  /** Writes of the item wait, so the index gets the item as it is. */
  async #fillItem(table: Table, key: string, index: Index): Promise<void> {
    const itemDb = this.#store.getItemDb(table.TableName);
    const locked = Promise.withResolvers<() => void>();
    itemDb.lock(key, (release) => locked.resolve(release(() => undefined)));
    const unlock = await locked.promise;
    try {
      const item = await run(itemDb.get, key).catch(() => undefined);
      if (item === undefined) return;
      const { puts } = dynaliteDb.getIndexActions([index], undefined, item as Attributes, table);
      const indexDb = this.#store.getIndexDb('Global', table.TableName, index.IndexName);
      for (const put of puts) await run(indexDb.put, put.key, put.item);
    } finally {
      unlock();
    }
  }
}
