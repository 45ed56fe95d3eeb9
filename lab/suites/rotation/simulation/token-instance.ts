import { maxClockDifference, maxReusableTokens } from '../../../../contract/limits.ts';
import type { RegionId } from '../../../../contract/regions.ts';
import { keyListMaxAge, type SigningKeyPolicy } from '../../../../contract/signing-key-policy.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../../core/errors.ts';
import { rememberUnusableKeys } from '../../../../core/key-rotation/remember-unusable-keys.ts';
import { selectSigningKeys } from '../../../../core/signing-key/select-signing-key.ts';
import type { Sign } from '../../../../core/signing-key/sign.ts';
import type { SigningKey } from '../../../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../../../core/signing-key/signing-key-cache.ts';
import type { SigningKeyReader } from '../../../../core/signing-key/signing-key-store.ts';
import type { SignedToken } from '../../../../core/token/sign-token.ts';
import { TokenReuse } from '../../../../core/token/token-reuse.ts';
import type { HostClock } from './host-clock.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface TokenInstanceOptions {
  readonly name: string;
  readonly regionId: RegionId;
  readonly policy: SigningKeyPolicy;
  readonly reader: SigningKeyReader;
  /** Seconds. */
  readonly refreshInterval: number;
  readonly time: VirtualTime;
  readonly clock: HostClock;
  readonly random: Random;
  readonly sign: Sign;
  /** Share of its life that a token must have left to be given again. */
  readonly reuseShare: number | undefined;
  readonly onToken: (kid: string, exp: number) => void;
  /** Is told that the instance answered 503. */
  readonly onFailure: (instance: string, reason: string) => void;
}

/** One instance of the token function, without what comes before the choice of a key. */
export class TokenInstance {
  readonly #options: TokenInstanceOptions;
  readonly #cache: SigningKeyCache;
  readonly #sign: Sign;
  readonly #reuse: TokenReuse | undefined;
  #stopped = false;

  constructor(options: TokenInstanceOptions) {
    const { policy, refreshInterval, clock, reuseShare, reader, sign } = options;
    this.#options = options;
    this.#cache = new SigningKeyCache(reader, { refreshInterval, maxAge: keyListMaxAge(policy) });
    this.#sign = rememberUnusableKeys(sign, () => clock.now() * 1000);
    this.#reuse =
      reuseShare === undefined
        ? undefined
        : new TokenReuse({ minimumRemainingShare: reuseShare, maxTokens: maxReusableTokens });
  }

  /** Asks it just before and just after it reads the list again. */
  start(): void {
    const { time, refreshInterval } = this.#options;
    const loop = async (): Promise<void> => {
      if (this.#stopped) return;
      await this.ask();
      if (refreshInterval > 1) time.at(time.now + refreshInterval - 1, () => this.ask());
      if (refreshInterval > 0) time.at(time.now + refreshInterval, loop);
    };
    time.at(time.now, loop);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** One token request. */
  async ask(): Promise<void> {
    const { name, clock, time, onFailure } = this.#options;
    if (this.#stopped || Math.abs(clock.now() - time.now) > maxClockDifference) return;
    try {
      await this.#issue(clock.now());
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      onFailure(name, error.message);
    }
  }

  async #issue(now: number): Promise<void> {
    const { regionId, policy, random, onToken } = this.#options;
    const { maxTokenLifetime: longest } = policy;
    const shortest = Math.min(60, longest);
    const lifetime = random.chance(0.7) ? longest : random.integer(shortest, longest);
    const claims = { iat: now, exp: now + lifetime } as SignedToken['claims'];
    const list = await this.#cache.listSigningKeys(now);
    const keys = selectSigningKeys(list, { ...policy, regionId, now, expiresAt: claims.exp });
    const sign = async (): Promise<SignedToken> => {
      const kid = await this.#signWithFirst(keys);
      onToken(kid, claims.exp);
      return { jws: '', claims, kid, unusableKids: [] };
    };
    if (this.#reuse === undefined) await sign();
    else
      await this.#reuse.take({ claims, secretHash: '', clientVersion: 1, kid: keys[0]?.kid }, sign);
  }

  async #signWithFirst(keys: readonly SigningKey[]): Promise<string> {
    for (const key of keys) {
      try {
        await this.#sign(key, new Uint8Array());
        return key.kid;
      } catch (error) {
        if (!(error instanceof SigningKeyUnusableError)) throw error;
      }
    }
    throw new UnavailableError(`no key can sign, of ${keys.length}`);
  }
}
