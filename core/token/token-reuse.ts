import type { AccessTokenClaims } from './access-token-claims.ts';
import type { SignedToken, SignWithKeys } from './sign-token.ts';

export interface TokenReuseSettings {
  /** Share of its life that a token must have left to be given again: above 0, at most 1. */
  readonly minimumRemainingShare: number;
  /** Tokens kept at once; the one kept longest goes first. */
  readonly maxTokens: number;
}

/** What a token must have in common with one that was given before. */
export interface ReuseRequest {
  readonly claims: AccessTokenClaims;
  /** The secret that authenticated this request. */
  readonly secretId: string;
  /** Of the client's record: grows with each change that management makes. */
  readonly clientVersion: number;
  /** The key that would sign now. */
  readonly kid: string | undefined;
}

/** Everything that a token depends on but its times and its id. */
function keyOf({ claims, secretId, clientVersion }: ReuseRequest): string {
  const { iat, exp, jti: _, ...rest } = claims;
  return JSON.stringify([secretId, clientVersion, exp - iat, Object.values(rest)]);
}

/**
 * Gives one token to several requests for the same: the same secret of the same unchanged client,
 * the same scope and audience, and the key that would sign now. Each request has been
 * authenticated before it comes here, so that no one gets a token by a secret that was revoked,
 * and after a rotation or withdrawal no one gets one of the key before. Requests that come while
 * the first is being signed wait for that signature.
 */
export class TokenReuse {
  readonly #settings: TokenReuseSettings;
  readonly #tokens = new Map<string, SignedToken>();
  readonly #pending = new Map<string, Promise<SignedToken>>();

  constructor(settings: TokenReuseSettings) {
    this.#settings = settings;
  }

  /**
   * @param sign signs a new token for the request.
   * @throws what `sign` throws, to all who wait for it.
   */
  async take(
    request: ReuseRequest,
    sign: () => Promise<SignedToken>,
  ): Promise<{ readonly token: SignedToken; readonly isReused: boolean }> {
    const key = keyOf(request);
    const pending = this.#pending.get(key);
    const known = pending === undefined ? this.#tokens.get(key) : await pending;
    if (known !== undefined && this.#mayGiveAgain(known, request)) {
      return { token: known, isReused: true };
    }
    const signing = sign();
    this.#pending.set(key, signing);
    try {
      const token = await signing;
      this.#keep(key, token);
      return { token, isReused: false };
    } finally {
      if (this.#pending.get(key) === signing) this.#pending.delete(key);
    }
  }

  /** `iat` of the request is now. A token from the future means that the clock went back. */
  #mayGiveAgain({ kid, claims: { iat, exp } }: SignedToken, request: ReuseRequest): boolean {
    const now = request.claims.iat;
    const least = (exp - iat) * this.#settings.minimumRemainingShare;
    return kid === request.kid && iat <= now && exp - now >= least;
  }

  #keep(key: string, token: SignedToken): void {
    this.#tokens.delete(key);
    this.#tokens.set(key, token);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > this.#settings.maxTokens && oldest !== undefined) {
      this.#tokens.delete(oldest);
    }
  }
}

/** Gives a token again if {@link TokenReuse} has one that fits. */
export function reuseTokens(reuse: TokenReuse, sign: SignWithKeys): SignWithKeys {
  return async (unsigned, keys, values) => {
    const { claims, client, secret } = unsigned;
    const request = {
      claims,
      secretId: secret.secretId,
      clientVersion: client.version,
      kid: keys[0]?.kid,
    };
    const { token, isReused } = await reuse.take(request, () => sign(unsigned, keys, values));
    if (isReused) values.log.isReused = true;
    return token;
  };
}
