declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Folder of the LevelDB; in memory where left out. */
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }

  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}
