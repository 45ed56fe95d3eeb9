import type { Client } from '../../../core/client/client.ts';

/** A state of a client; without `client` it does not exist. */
export interface ClientState {
  /** True time of the write, in milliseconds. */
  readonly at: number;
  readonly client: Client | undefined;
}

const absent: ClientState = { at: Number.NEGATIVE_INFINITY, client: undefined };

/** The clients table: the store in memory writes to it, and it keeps each state. */
export class Records extends Map<string, Client> {
  readonly #now: () => number;
  readonly #states = new Map<string, ClientState[]>();

  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  override set(id: string, client: Client): this {
    this.#keep(id, client);
    return super.set(id, client);
  }

  override delete(id: string): boolean {
    this.#keep(id, undefined);
    return super.delete(id);
  }

  /** What a replica has that received every write until a time. */
  seenAt(id: string, time: number): ClientState {
    return this.#states.get(id)?.findLast(({ at }) => at <= time) ?? absent;
  }

  /** Every state that a replica may show between two times. */
  seenBetween(id: string, from: number, to: number): readonly ClientState[] {
    const later = this.#states.get(id)?.filter(({ at }) => at > from && at <= to) ?? [];
    return [this.seenAt(id, from), ...later];
  }

  #keep(id: string, client: Client | undefined): void {
    const states = this.#states.get(id) ?? [];
    this.#states.set(id, [...states, { at: this.#now(), client }]);
  }
}
