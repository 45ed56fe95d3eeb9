import { createHash } from 'node:crypto';
import type { Client, ClientReader } from '../../../core/client/client.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { ServerDate } from '../../../core/server-date.ts';
import type { Random } from '../../../lab/suites/rotation/simulation/random.ts';
import { VirtualTime } from '../../../lab/suites/rotation/simulation/virtual-time.ts';
import { createTestManagement } from '../management.ts';
import { createMemoryClientStore } from '../memory-stores.ts';
import { Records } from './records.ts';

/** Milliseconds since the epoch, as every time here. */
const start = 1_800_000_000_000;

/** The promise: clocks of functions are this close to AWS's time. */
const clockError = 1000;

export interface Region {
  /** After this time a write has arrived here. */
  readonly lag: number;
  /** Of the host that issues tokens here. */
  readonly skew: number;
  /** Whether DynamoDB does not answer. */
  isDown: boolean;
}

/** Lets everything run that the present instant allows. */
async function settle(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Regions that share the clients, and an operator, in virtual time. */
export class RevocationWorld {
  readonly time = new VirtualTime(start);
  readonly records = new Records(() => this.time.now);
  readonly regions: readonly Region[];
  readonly management: ManagementContext;
  readonly #random: Random;
  #draws = 0;

  constructor(random: Random) {
    this.#random = random;
    this.regions = Array.from({ length: 3 }, () => ({
      lag: random.pick([0, 1, random.integer(0, 300), random.integer(0, 2000)]),
      skew: random.pick([0, clockError, -clockError, random.integer(-clockError, clockError)]),
      isDown: false,
    }));
    this.management = createTestManagement({
      clients: createMemoryClientStore(this.records),
      // The operator's clock is wrong by up to a day.
      clock: () => this.time.now + random.integer(-1, 1) * 86_400_000,
      awsTime: () => this.#hearAws(),
      wait: (milliseconds) => this.#wait(milliseconds),
      drawBytes: (length) => this.draw(length),
    }).context;
  }

  /** Other bytes each time, the same in each run. */
  draw(length: number): Uint8Array {
    this.#draws += 1;
    return createHash('shake256', { outputLength: length }).update(String(this.#draws)).digest();
  }

  /** Lets time pass, and everything that waits for it happen. */
  async pass(milliseconds: number): Promise<void> {
    await this.time.pass(milliseconds);
    await settle();
  }

  /** Clients as a region's replica has them. */
  replica(region: Region): ClientReader {
    return {
      findClient: async (id): Promise<Client | undefined> => {
        if (region.isDown) throw new UnavailableError('could not read an item of clients');
        return this.records.seenAt(id, this.time.now - region.lag).client;
      },
    };
  }

  /** The `Date` of a response that took a while, at the instant when it arrived. */
  #hearAws() {
    const latency = this.#random.pick([0, this.#random.integer(0, 400)]);
    const sentAt = this.time.now - this.#random.integer(0, latency);
    const serverDate = new ServerDate(() => this.time.now);
    serverDate.record(Math.floor(sentAt / 1000) * 1000, latency);
    return serverDate.bounds();
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.time.at(this.time.now + milliseconds, async () => {
        resolve();
        await settle();
      });
    });
  }
}
