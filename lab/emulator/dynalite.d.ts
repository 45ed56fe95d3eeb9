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

  interface DynaliteStore {
    readonly db: DynaliteDatabase;
    /** Puts a new database, over the same folder, in place of the present one. */
    recreate(): void;
  }

  /** dynalite calls `create` of this object. */
  const dynaliteDb: { create: (options: unknown) => DynaliteStore };
  export default dynaliteDb;
  export type { Done, DynaliteDatabase, DynaliteStore };
}
