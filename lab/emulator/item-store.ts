import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import dynalite from 'dynalite';
import dynaliteDb, {
  type Done,
  type DynaliteDatabase,
  type DynaliteStore,
} from 'dynalite/db/index.js';
import { AwsError } from './aws-server/aws-error.ts';
import type { VerifiedRequest } from './aws-server/verify-signature.ts';
import type { StorageWatch } from './storage.ts';
import { type IndexTiming, TableIndexes } from './table-indexes.ts';

/** Milliseconds between two attempts to write to a full folder. */
const retryInterval = 1000;

/** Bytes that a database needs to be opened and to store some items. */
const neededRoom = 256 * 1024;

const unavailable = {
  type: 'ServiceUnavailable',
  message: 'the folder of the tables cannot be written to',
  status: 503,
} as const;

/** An error that dynalite returns, instead of ending the process. */
function toDynaliteError(cause: unknown): Error {
  const body = {
    __type: `com.amazonaws.dynamodb.v20120810#${unavailable.type}`,
    message: unavailable.message,
  };
  return Object.assign(new Error(unavailable.message, { cause }), {
    statusCode: unavailable.status,
    body,
  });
}

/** Errors that dynalite handles itself. */
function isExpected(error: unknown): boolean {
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return name === 'NotFoundError' || code === 'LEVEL_DECODE_ERROR';
}

/** Calls dynalite, and captures the store that it creates. */
function openDynalite(directory: string | undefined): { server: Server; store: DynaliteStore } {
  // Tables are active at once: waiting for the state CREATING would test nothing.
  const settings = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  const { create } = dynaliteDb;
  const made: DynaliteStore[] = [];
  dynaliteDb.create = (options) => {
    const store = create(options);
    made.push(store);
    return store;
  };
  try {
    const server = dynalite(directory === undefined ? settings : { ...settings, path: directory });
    const [store] = made;
    if (store === undefined) throw new Error('dynalite made no store');
    return { server, store };
  } finally {
    dynaliteDb.create = create;
  }
}

/**
 * Reads at once: LevelDB has the item in memory or in the page cache. Through its thread pool, the
 * two reads of GetItem took a tenth of the CPU time of a token.
 */
function readNow(db: DynaliteDatabase): DynaliteDatabase['get'] {
  const readLater = db.get;
  return (key, done) => {
    // A read waits until the database is open.
    if (db.status !== 'open') {
      readLater(key, done);
      return;
    }
    let value: unknown;
    let error: unknown;
    try {
      value = db.getSync(key);
    } catch (cause) {
      error = cause;
    }
    setImmediate(done as Done, error ?? null, value);
  };
}

/** A request with its body, in the form that dynalite expects. */
function replay({ method, url, headers, body }: VerifiedRequest): IncomingMessage {
  const request = Object.assign(Readable.from([body]), { method, url, headers });
  return request as unknown as IncomingMessage;
}

function callDynalite(
  listener: RequestListener,
  request: VerifiedRequest,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    const end = response.end.bind(response);
    response.end = ((...given: Parameters<typeof end>) => {
      resolve();
      return end(...given);
    }) as typeof response.end;
    listener(replay(request), response);
  });
}

/**
 * dynalite's tables, without its server. After a failed write, LevelDB must be opened again: its
 * log may end with half a record, and later ones would be lost. Until that succeeds, every request
 * gets 503.
 */
export class ItemStore {
  readonly #directory: string | undefined;
  readonly #storage: StorageWatch | undefined;
  readonly #listener: RequestListener;
  readonly #store: DynaliteStore;
  readonly #indexes: TableIndexes;
  readonly #active = new Set<Promise<void>>();
  #hasFailed = false;
  #lastAttempt = Number.NEGATIVE_INFINITY;
  #opening: Promise<void> | undefined;

  /** @param directory without it, the items are only in memory. */
  constructor(
    directory: string | undefined,
    storage: StorageWatch | undefined,
    timing: IndexTiming = {},
  ) {
    this.#directory = directory;
    this.#storage = storage;
    const { server, store } = openDynalite(directory);
    // The server itself never listens: it verifies no signature and answers browsers with CORS
    // headers.
    const [listener] = server.listeners('request') as unknown as readonly RequestListener[];
    if (listener === undefined) throw new Error('dynalite has no request listener');
    this.#listener = listener;
    this.#store = store;
    this.#indexes = new TableIndexes(store, timing);
    this.#guard(store.db);
  }

  /** @throws {AwsError} if the folder still cannot be written to. */
  async answer(request: VerifiedRequest, response: ServerResponse): Promise<void> {
    if (this.#hasFailed) await this.#openAgain();
    if (await this.#indexes.answer(request, response)) return;
    const call = callDynalite(this.#listener, request, response);
    this.#active.add(call);
    await call.finally(() => this.#active.delete(call));
  }

  async close(): Promise<void> {
    await this.#store.db.close();
  }

  #guard(db: DynaliteDatabase): void {
    for (const name of ['put', 'get', 'del', 'batch'] as const) {
      const call = db[name];
      const callNow = name === 'get' ? readNow(db) : call;
      db[name] = (...given) => {
        const done = given.at(-1);
        if (typeof done !== 'function') return call(...given);
        return callNow(...given.slice(0, -1), (error: unknown, value: unknown) => {
          (done as Done)(this.#settle(error, name !== 'get'), value);
        });
      };
    }
    for (const name of ['createKeyStream', 'createValueStream'] as const) {
      const create = db[name];
      db[name] = (options) => {
        const stream = create(options);
        const destroy = stream.destroy.bind(stream);
        stream.destroy = (error) => destroy(error && toDynaliteError(error));
        return stream;
      };
    }
  }

  /** A write after a failed one is not acknowledged, even if LevelDB accepted it. */
  #settle(error: unknown, isWrite: boolean): unknown {
    const isFailure = error !== null && error !== undefined;
    if (isFailure && isExpected(error)) return error;
    if (isFailure) {
      this.#hasFailed = true;
      this.#storage?.failed(error);
    }
    if (isFailure || (isWrite && this.#hasFailed)) return toDynaliteError(error);
    if (isWrite) this.#storage?.worked();
    return error;
  }

  #openAgain(): Promise<void> {
    this.#opening ??= this.#tryToOpen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #tryToOpen(): Promise<void> {
    const { type, message, status } = unavailable;
    const time = performance.now();
    if (time - this.#lastAttempt < retryInterval) throw new AwsError(type, message, status);
    this.#lastAttempt = time;
    try {
      this.#findRoom();
      // Earlier requests still use the failed database.
      await Promise.all(this.#active);
      await this.#store.db.close().catch(() => undefined);
      this.#store.recreate();
      await this.#store.db.open();
    } catch (error) {
      this.#storage?.failed(error);
      throw new AwsError(type, message, status);
    }
    this.#guard(this.#store.db);
    this.#hasFailed = false;
  }

  /** @throws {Error} if the disk is full. */
  #findRoom(): void {
    if (this.#directory === undefined) return;
    const path = join(this.#directory, 'room-probe');
    try {
      writeFileSync(path, Buffer.alloc(neededRoom), { flush: true });
    } finally {
      rmSync(path, { force: true });
    }
  }
}
