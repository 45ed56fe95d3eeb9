import { WeighedMap } from '../core/bounded-map.ts';
import type { PortalManagement } from './access/guarded-management.ts';

type ProviderKeys = Awaited<ReturnType<PortalManagement['inspectProviderKeys']>>;

/** The state of a provider's keys; `undefined` if there is no response yet. */
export type Health = ProviderKeys | undefined;

interface Known {
  readonly at: number;
  readonly keys: ProviderKeys;
}

/** Seconds for which a result is cached: a failing provider is noticed within five minutes. */
const freshFor = 300;

/** Milliseconds that a page waits for providers. A later response is used by the next page. */
const patience = 1500;

/** Bytes of what is cached: 2,000 providers with five keys. Those that were not shown for longest go. */
const maxWeight = 8 * 1024 * 1024;

/** An entry takes 512 bytes, and a character of its keys up to three. */
function weigh({ keys }: Known): number {
  return 512 + 3 * JSON.stringify(keys).length;
}

/**
 * Whether the keys of registered providers can be fetched. The result is cached for a while,
 * because pages must not wait for other servers each time.
 */
export class ProviderHealth {
  readonly #known = new WeighedMap<string, Known>(maxWeight, weigh);
  readonly #asked = new Map<string, Promise<void>>();

  /** @param now seconds since the epoch. */
  async check(
    management: PortalManagement,
    issuers: readonly string[],
    now: number,
  ): Promise<ReadonlyMap<string, Health>> {
    const refreshes = issuers.map((issuer) => this.#refresh(management, issuer, now));
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([Promise.all(refreshes), tooLate]);
    clearTimeout(timer);
    return new Map(issuers.map((issuer) => [issuer, this.#known.get(issuer)?.keys]));
  }

  #refresh(management: PortalManagement, issuer: string, now: number): Promise<void> {
    const known = this.#known.get(issuer);
    if (known !== undefined && now - known.at < freshFor) return Promise.resolve();
    const running = this.#asked.get(issuer);
    if (running !== undefined) return running;
    const asking = management
      .inspectProviderKeys(issuer)
      .then((keys) => {
        this.#known.set(issuer, { at: now, keys });
      })
      // It was deleted in the meantime, or DynamoDB does not answer. The page that lists it shows
      // this.
      .catch(() => undefined)
      .finally(() => this.#asked.delete(issuer));
    this.#asked.set(issuer, asking);
    return asking;
  }
}
