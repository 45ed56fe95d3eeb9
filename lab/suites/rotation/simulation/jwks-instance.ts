import { buildJwks, publicationTime } from '../../../../core/jwks/jwks.ts';
import type { SigningKey, SigningKeyReader } from '../../../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../../../core/signing-key/signing-key-cache.ts';
import type { TokenWatch } from './token-watch.ts';
import type { HostClock, VirtualTime } from './virtual-time.ts';

/** Of an instance of either function. */
export interface HostOptions {
  /** In messages. */
  readonly name: string;
  readonly reader: SigningKeyReader;
  /** Seconds. */
  readonly refreshInterval: number;
  readonly time: VirtualTime;
  readonly clock: HostClock;
}

interface JwksInstanceOptions extends HostOptions {
  readonly watch: TokenWatch;
  /** The most keys that a JWKS may have. */
  readonly maxKeys: number;
  /** Checks each key that is served against what the table says. */
  readonly checkServed: (kid: string, clock: HostClock) => void;
}

/** One instance of the JWKS function, with what verifiers can have got from it. */
export class JwksInstance {
  readonly #options: JwksInstanceOptions;
  readonly #cache: SigningKeyCache;
  readonly #since = new Map<string, number>();
  readonly #expected = new Set<string>();
  #list: readonly SigningKey[] | undefined;
  /** When the JWKS of the same list changes by itself. */
  #changesAt = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: JwksInstanceOptions) {
    this.#options = options;
    this.#cache = new SigningKeyCache(options.reader, {
      refreshInterval: options.refreshInterval,
      maxAge: Number.POSITIVE_INFINITY,
    });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Whether any verifier can have got a JWKS from it. */
  get hasServed(): boolean {
    return this.#list !== undefined;
  }

  /** Since when every JWKS that it served had a key. */
  servedSince(kid: string): number | undefined {
    return this.#since.get(kid);
  }

  /** Keeps asking it when it would read the list again. */
  start(): void {
    const { time, watch, refreshInterval } = this.#options;
    watch.add(this);
    const loop = async (): Promise<void> => {
      if (this.#stopped) return;
      await this.serve();
      if (refreshInterval > 0) time.at(time.now + refreshInterval, loop);
    };
    time.at(time.now, loop);
  }

  stop(): void {
    this.#stopped = true;
    this.#options.watch.remove(this);
  }

  /** Answers one request. @returns whether it has a key, or undefined if it answers 503. */
  async serve(): Promise<((kid: string) => boolean) | undefined> {
    const { time, clock } = this.#options;
    const list = await this.#cache.listSigningKeys(clock.now()).catch(() => undefined);
    if (list === undefined) return undefined;
    if (list !== this.#list || time.now >= this.#changesAt) this.#publish(list);
    return (kid) => this.#since.has(kid);
  }

  #publish(list: readonly SigningKey[]): void {
    const { time, clock, watch, maxKeys, checkServed } = this.#options;
    const { keys } = buildJwks(list, publicationTime(clock.now(), time.now));
    const kids = new Set(keys.map(({ kid }) => kid));
    const isFirst = this.#list === undefined;
    for (const kid of this.#since.keys()) {
      if (kids.has(kid)) continue;
      this.#since.delete(kid);
      if (!this.#stopped) watch.gone(kid, this, time.now);
    }
    for (const kid of kids) {
      checkServed(kid, clock);
      if (!this.#since.has(kid))
        this.#since.set(kid, isFirst ? Number.NEGATIVE_INFINITY : time.now);
    }
    watch.served(kids.size, this, maxKeys);
    this.#list = list;
    this.#expectWithdrawals(list);
  }

  /** A key leaves at its own time, with no new list: by this host's clock, or by the true one. */
  #expectWithdrawals(list: readonly SigningKey[]): void {
    const { time, clock } = this.#options;
    this.#changesAt = Number.POSITIVE_INFINITY;
    for (const { withdrawAt } of list) {
      if (withdrawAt === undefined) continue;
      for (const at of [withdrawAt, withdrawAt - clock.offset]) {
        if (at <= time.now) continue;
        this.#changesAt = Math.min(this.#changesAt, at);
        if (this.#expected.has(String(at))) continue;
        this.#expected.add(String(at));
        time.at(at, async () => {
          await this.serve();
        });
      }
    }
  }
}
