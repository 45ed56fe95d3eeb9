declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Folder of the LevelDB. Left out: in memory only. */
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }

  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}

declare module 'dynalite/db/index.js' {
  import type { Readable } from 'node:stream';

  type Done = (error: unknown, value?: unknown) => void;
  type Write = (...given: readonly unknown[]) => void;

  /** dynalite's LevelDB. Its methods take a callback as their last argument. */
  interface DynaliteDatabase {
    put: Write;
    get: Write;
    readonly status: string;
    getSync(key: unknown): unknown;
    del: Write;
    batch: Write;
    createKeyStream: (options: unknown) => Readable;
    createValueStream: (options: unknown) => Readable;
    open(): Promise<void>;
    close(): Promise<void>;
  }

  /** One kind of records within the database. */
  interface DynalitePart {
    put: Write;
    get: Write;
    del: Write;
    createValueStream: (options: unknown) => Readable;
    /** Waits until no one else holds the key. `release` gives it back, then calls its argument. */
    lock(key: string, hold: (release: (done: () => void) => () => void) => void): void;
  }

  interface DynaliteStore {
    readonly db: DynaliteDatabase;
    readonly tableDb: DynalitePart;
    getItemDb(table: string): DynalitePart;
    getIndexDb: (kind: 'Global' | 'Local', table: string, index: string) => DynalitePart;
    deleteIndexDb: (kind: 'Global', table: string, index: string, done: Done) => void;
    /** Puts a new database, over the same folder, in place of the present one. */
    recreate(): void;
  }

  const dynaliteDb: {
    /** dynalite calls it as a property of this object. */
    create: (options: unknown) => DynaliteStore;
    createKey(item: object, table: object): string;
    /** What a change of an item writes to indexes. */
    getIndexActions(
      indexes: readonly object[],
      before: object | undefined,
      after: object | undefined,
      table: object,
    ): { readonly puts: readonly { readonly key: string; readonly item: object }[] };
  };
  export default dynaliteDb;
  export type { Done, DynaliteDatabase, DynalitePart, DynaliteStore };
}
