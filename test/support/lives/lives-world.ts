import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { ApiKey, ApiKeyStore } from '../../../core/api-key/api-key.ts';
import type { Client, ClientStore } from '../../../core/client/client.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import type { Random } from '../../../lab/suites/rotation/simulation/random.ts';
import { createTestManagement } from '../management.ts';
import { createMemoryApiKeyStore, createMemoryClientStore } from '../memory-stores.ts';

/** A stored state of a record: no two states have the same number. Undefined: there is no record. */
export type StateNumber = number | undefined;

/** What one operation of one operator has seen. */
interface Operation {
  readonly seen: Map<string, StateNumber>;
  /** The operation names the version of a form, so what it reads later does not count. */
  readonly isOfForm: boolean;
}

type Fate = 'made' | 'answer lost' | 'late' | 'throttled';

export interface LivesCounts {
  operations: number;
  writes: number;
  conflicts: number;
  creations: number;
  lateWrites: number;
  lateRefused: number;
  /** Of the management function. */
  throttled: number;
  lostAnswers: number;
}

/** Lets everything run that does not wait for a turn. */
async function settle(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export const providerIssuer = 'https://idp.example.net';

/**
 * Several operators and the synthetic check over one pair of tables. Each call to a table waits for
 * its turn, and a write can fail, lose its answer, or arrive long after it was given up.
 */
export class LivesWorld {
  readonly context: ManagementContext;
  readonly clients = new Map<string, Client>();
  readonly apiKeys = new Map<string, ApiKey>();
  readonly violations: string[] = [];
  readonly #random: Random;
  readonly #counts: LivesCounts;
  readonly #operation = new AsyncLocalStorage<Operation>();
  readonly #states = new Map<string, number>();
  /** Hashes of secrets and API keys that were deleted. */
  readonly #revoked = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  readonly #late: (() => Promise<void>)[] = [];
  #lastState = 0;
  #draws = 0;
  #running = 0;

  constructor(random: Random, counts: LivesCounts) {
    this.#random = random;
    this.#counts = counts;
    const test = createTestManagement({
      clients: this.#watchClients(createMemoryClientStore(this.clients)),
      apiKeys: this.#watchApiKeys(createMemoryApiKeyStore(this.apiKeys)),
      drawBytes: (length) => this.#draw(length),
      wait: () => this.turn(),
    });
    test.providers.set(providerIssuer, {
      issuer: providerIssuer,
      registrationId: 'registration_1',
      discoveryUrl: `${providerIssuer}/.well-known/openid-configuration`,
      jwksUri: `${providerIssuer}/keys`,
      allowedAlgorithms: ['RS256'],
      registeredAt: test.now,
    });
    const { audit } = test.context;
    this.context = {
      ...test.context,
      audit: {
        ...audit,
        appendAudit: async (record) => {
          await this.turn();
          await audit.appendAudit(record);
        },
      },
    };
  }

  get running(): number {
    return this.#running;
  }

  stateOf(id: string): StateNumber {
    return this.#states.get(id);
  }

  /** Begins an operation, which then competes with the others. @param form what a form showed. */
  start(run: () => Promise<unknown>, form?: { readonly id: string; readonly state: StateNumber }) {
    const seen = new Map(form === undefined ? [] : [[form.id, form.state]]);
    this.#counts.operations += 1;
    this.#running += 1;
    void this.#operation
      .run({ seen, isOfForm: form !== undefined }, run)
      .catch((error: unknown) => {
        this.#counts.conflicts += error instanceof Error && /Conflict/.test(error.name) ? 1 : 0;
        if (error instanceof TypeError) this.violations.push(String(error.stack));
      })
      .finally(() => {
        this.#running -= 1;
      });
  }

  /** Lets one of those that wait go on, or a late write arrive. */
  async step(): Promise<void> {
    if (this.#late.length > 0 && this.#random.chance(0.05)) {
      await this.#take(this.#late)?.();
    } else {
      this.#take(this.#waiting)?.();
    }
    await settle();
  }

  /** Ends everything that was begun. */
  async finish(): Promise<void> {
    await settle();
    while (this.#running > 0 || this.#late.length > 0) await this.step();
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #take<T>(list: T[]): T | undefined {
    const [taken] = list.splice(this.#random.integer(0, Math.max(0, list.length - 1)), 1);
    return taken;
  }

  #draw(length: number): Uint8Array {
    this.#draws += 1;
    return createHash('shake256', { outputLength: length }).update(String(this.#draws)).digest();
  }

  async #find<T>(id: string, find: () => Promise<T>): Promise<T> {
    await this.turn();
    const operation = this.#operation.getStore();
    if (operation?.isOfForm === false) operation.seen.set(id, this.#states.get(id));
    return find();
  }

  /** A write, with what becomes of it. @param hashes the credentials of the record before and after it. */
  async #write(id: string, send: () => Promise<void>, hashes: () => readonly string[]) {
    await this.turn();
    const seen = this.#operation.getStore()?.seen.get(id);
    const make = () => this.#make(id, seen, send, hashes);
    const fate: Fate = this.#random.pick([
      ...Array.from({ length: 7 }, () => 'made' as const),
      'answer lost',
      'late',
      'throttled',
    ]);
    if (fate === 'made') return make();
    if (fate === 'answer lost') await make();
    if (fate === 'late') this.#late.push(() => this.#arrive(make));
    throw new UnavailableError(`could not write: ${fate}`);
  }

  async #arrive(make: () => Promise<void>): Promise<void> {
    this.#counts.lateWrites += 1;
    await make().catch(() => {
      this.#counts.lateRefused += 1;
    });
  }

  async #make(
    id: string,
    seen: StateNumber,
    send: () => Promise<void>,
    hashes: () => readonly string[],
  ): Promise<void> {
    const stored = this.#states.get(id);
    const before = hashes();
    await send();
    const after = hashes();
    this.#counts.writes += 1;
    if (stored !== seen) this.violations.push(`${id}: a change replaced what it had not seen`);
    const isBack = after.some((hash) => this.#revoked.has(hash));
    if (isBack) this.violations.push(`${id}: a revoked credential is back`);
    for (const hash of before) if (!after.includes(hash)) this.#revoked.add(hash);
    this.#lastState += 1;
    if (this.clients.has(id) || this.apiKeys.has(id)) this.#states.set(id, this.#lastState);
    else this.#states.delete(id);
  }

  #watchClients(store: ClientStore): ClientStore {
    const hashes = (id: string) => () =>
      this.clients.get(id)?.secrets.flatMap(({ hash = [] }) => hash) ?? [];
    return {
      ...store,
      find: (id) => this.#find(id, () => store.find(id)),
      create: (client) => {
        this.#counts.creations += 1;
        const { clientId } = client;
        return this.#write(clientId, () => store.create(client), hashes(clientId));
      },
      replace: (client) => {
        const { clientId } = client;
        return this.#write(clientId, () => store.replace(client), hashes(clientId));
      },
      delete: (id, version) => this.#write(id, () => store.delete(id, version), hashes(id)),
    };
  }

  #watchApiKeys(store: ApiKeyStore): ApiKeyStore {
    const hashes = (id: string) => () => {
      const key = this.apiKeys.get(id);
      return key === undefined ? [] : [key.hash];
    };
    return {
      ...store,
      find: (id) => this.#find(id, () => store.find(id)),
      create: (key) => {
        this.#counts.creations += 1;
        return this.#write(key.keyId, () => store.create(key), hashes(key.keyId));
      },
      replace: (key) => this.#write(key.keyId, () => store.replace(key), hashes(key.keyId)),
      delete: (id, version) => this.#write(id, () => store.delete(id, version), hashes(id)),
    };
  }
}
