import { maxClockDifference } from '../../../../contract/bounds.ts';
import type { RegionId } from '../../../../contract/regions.ts';
import { keyListMaxAge, type SigningKeyPolicy } from '../../../../contract/signing-key-policy.ts';
import { UnavailableError } from '../../../../core/errors.ts';
import {
  chooseSigningKeys,
  type ListSigningKeys,
} from '../../../../core/signing-key/select-signing-key.ts';
import { SignHistory } from '../../../../core/signing-key/sign-history.ts';
import {
  type ChooseKeys,
  type Sign,
  signWithFirst,
} from '../../../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../../../core/signing-key/signing-key-cache.ts';
import type { AccessTokenClaims } from '../../../../core/token/access-token-claims.ts';
import type { HostOptions } from './jwks-instance.ts';
import type { Random } from './random.ts';

interface TokenInstanceOptions extends HostOptions {
  readonly regionId: RegionId;
  readonly policy: SigningKeyPolicy;
  readonly random: Random;
  readonly sign: Sign;
  readonly onToken: (kid: string, exp: number) => void;
  /** Is told that the instance answered 503. */
  readonly onFailure: (instance: string, reason: string) => void;
}

/** One instance of the token function, without what comes before the choice of a key. */
export class TokenInstance {
  readonly #options: TokenInstanceOptions;
  readonly #cache: SigningKeyCache;
  readonly #sign: Sign;
  #stopped = false;

  constructor(options: TokenInstanceOptions) {
    const { policy, refreshInterval, clock, reader, sign } = options;
    this.#options = options;
    this.#cache = new SigningKeyCache(reader, { refreshInterval, maxAge: keyListMaxAge(policy) });
    this.#sign = new SignHistory().watch(sign, () => clock.now() * 1000);
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

  /** All that the product does for a token once its client is authenticated, but for the bytes. */
  async #issue(now: number): Promise<void> {
    const { regionId, policy, random, onToken } = this.#options;
    const { maxTokenLifetime: longest } = policy;
    const shortest = Math.min(60, longest);
    const lifetime = random.chance(0.7) ? longest : random.integer(shortest, longest);
    const claims = { iat: now, exp: now + lifetime } as AccessTokenClaims;
    const list: ListSigningKeys = (...args) => this.#cache.listSigningKeys(...args);
    const choose: ChooseKeys = (maxAge) =>
      chooseSigningKeys(list, { ...policy, regionId }, claims, { maxAge });
    const keys = await choose();
    const signed = await signWithFirst(keys, (key) => this.#signWith(key), choose);
    onToken(signed.kid, claims.exp);
  }

  /** KMS of the simulation has no private keys: a signature is empty. */
  async #signWith(key: SigningKey): Promise<string> {
    const signature = await this.#sign(key, new Uint8Array());
    return Buffer.from(signature).toString('base64url');
  }
}
