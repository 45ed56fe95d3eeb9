import { isAwsUnavailability } from '../../aws-errors.ts';
import type { Item } from '../items/item.ts';
import type { BatchedGet, CallOptions, DynamoDbCalls } from './dynamodb-calls.ts';

/** BatchGetItem takes so many different keys. */
const maxKeys = 100;

/**
 * Milliseconds for which items are read one by one when a batch is refused, e.g. because a policy
 * allows only GetItem. It may be a new policy that IAM does not know yet.
 */
const pauseAfterRefusal = 60_000;

type GetInput = Parameters<DynamoDbCalls['get']>[0];
type GetOutput = Awaited<ReturnType<DynamoDbCalls['get']>>;

/** One key that is asked for, and all who wait for its item. */
interface Wanted {
  readonly input: GetInput;
  readonly options: CallOptions;
  readonly resolve: (output: GetOutput | Promise<GetOutput>) => void;
  readonly result: Promise<GetOutput>;
}

function want(input: GetInput, options: CallOptions): Wanted {
  const { promise: result, resolve } = Promise.withResolvers<GetOutput>();
  return { input, options, resolve, result };
}

/** The value of the partition key; these tables have no sort key. */
function keyText({ Key = {} }: GetInput): string {
  return String(Object.values(Key)[0]);
}

/** Reads of one table in the same way can be one batch. */
function tableOf({ TableName, ConsistentRead = false, ProjectionExpression = '' }: GetInput) {
  return `${TableName} ${ConsistentRead} ${ProjectionExpression}`;
}

/** The reads of one turn of the event loop, by table and by key. */
class Turn {
  readonly signal: AbortSignal | undefined;
  readonly tables = new Map<string, Map<string, Wanted>>();
  size = 0;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
  }

  add(input: GetInput, options: CallOptions): Promise<GetOutput> {
    const table = tableOf(input);
    const keys = this.tables.get(table) ?? new Map<string, Wanted>();
    this.tables.set(table, keys);
    const key = keyText(input);
    const pending = keys.get(key) ?? want(input, options);
    if (!keys.has(key)) this.size += 1;
    keys.set(key, pending);
    return pending.result;
  }

  takes({ abortSignal }: CallOptions): boolean {
    return this.size < maxKeys && abortSignal === this.signal;
  }
}

interface BatchOptions {
  /** Runs when a batch is refused for the first time. */
  readonly onRefused?: ((error: unknown) => void) | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: (() => number) | undefined;
}

interface BatchedGets extends Pick<DynamoDbCalls, 'get'> {
  /** Tries a batch of one key, to find out at start whether batches are refused. */
  tryBatch(input: GetInput, options?: CallOptions): Promise<void>;
}

class Batches implements BatchedGets {
  readonly #calls: Pick<DynamoDbCalls, 'get'> & BatchedGet;
  readonly #onRefused: BatchOptions['onRefused'];
  readonly #clock: () => number;
  #turn: Turn | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #wasRefused = false;

  constructor(calls: Pick<DynamoDbCalls, 'get'> & BatchedGet, options: BatchOptions) {
    this.#calls = calls;
    this.#onRefused = options.onRefused;
    this.#clock = options.clock ?? (() => performance.now());
  }

  get(input: GetInput, options: CallOptions): Promise<GetOutput> {
    if (this.#turn === undefined || !this.#turn.takes(options)) {
      const turn = new Turn(options.abortSignal);
      this.#turn = turn;
      setImmediate(() => this.#end(turn));
    }
    return this.#turn.add(input, options);
  }

  async tryBatch(input: GetInput, options: CallOptions = {}): Promise<void> {
    await this.#readBatch([want(input, options)], input, options);
  }

  #end(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined;
    for (const keys of turn.tables.values()) this.#readTable(keys);
  }

  #readTable(keys: ReadonlyMap<string, Wanted>): void {
    const [first] = keys.values();
    if (first === undefined) return;
    if (keys.size === 1 || this.#clock() < this.#pausedUntil) {
      for (const pending of keys.values()) this.#getOne(pending);
      return;
    }
    this.#readTogether(keys, first).catch((error: unknown) => {
      for (const { resolve } of keys.values()) resolve(Promise.reject(error));
    });
  }

  async #readTogether(keys: ReadonlyMap<string, Wanted>, { input, options }: Wanted) {
    const output = await this.#readBatch([...keys.values()], input, options);
    const [partitionKey = ''] = Object.keys(input.Key ?? {});
    const byKey = (items: readonly Item[] = []) =>
      new Map(items.map((item) => [String(item[partitionKey]), item]));
    const [items, unread] = [byKey(output?.Items), byKey(output?.UnprocessedKeys)];
    for (const [key, pending] of keys) {
      if (output === undefined || unread.has(key)) this.#getOne(pending);
      else pending.resolve({ Item: items.get(key) });
    }
  }

  /** @returns undefined if DynamoDB refuses batches. */
  async #readBatch(all: readonly Wanted[], input: GetInput, options: CallOptions) {
    const { Key: _, ...table } = input;
    try {
      const Keys = all.map((each) => each.input.Key ?? {});
      return await this.#calls.batchGet({ ...table, Keys }, options);
    } catch (error) {
      // Each by itself would not be answered either.
      if (error instanceof Error && isAwsUnavailability(error)) throw error;
      this.#pausedUntil = this.#clock() + pauseAfterRefusal;
      if (!this.#wasRefused) this.#onRefused?.(error);
      this.#wasRefused = true;
      return undefined;
    }
  }

  #getOne({ input, options, resolve }: Wanted): void {
    resolve(this.#calls.get(input, options));
  }
}

/**
 * Reads of single items, of which those that begin in the same turn of the event loop are one
 * BatchGetItem. A single read is a GetItem, and none waits longer than to the end of the
 * turn. What a batch does not answer is read by GetItem.
 */
export function batchGets(
  calls: Pick<DynamoDbCalls, 'get'> & BatchedGet,
  options: BatchOptions = {},
): BatchedGets {
  return new Batches(calls, options);
}
