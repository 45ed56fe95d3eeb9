import { BoundedMap, remember } from '../bounded-map.ts';
import type { SignedJws } from '../signing-key/sign-jws.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';

/** A signed token. */
export interface SignedToken extends SignedJws {
  readonly claims: AccessTokenClaims;
}

interface TokenReuseSettings {
  /** Share of its lifetime that a token must have left to be returned again: above 0, at most 1. */
  readonly minimumRemainingShare: number;
  /** Maximum number of tokens in memory. When it is reached, the oldest entry is removed. */
  readonly maxTokens: number;
}

/** More than the sets of scopes and audiences that any client uses. */
const maxTokensOfClient = 16;

/** What a request must have in common with the one that a token was issued for. */
export interface ReuseRequest {
  readonly claims: AccessTokenClaims;
  /** Of the secret that authenticated this request. Ids can come back after a deletion; it cannot. */
  readonly secretHash: string | undefined;
  /** The version of the client's record. It grows when management changes the record. */
  readonly clientVersion: number;
  /** The key that would sign now. */
  readonly kid: string | undefined;
  /** Of an assertion. The lifetime of its tokens follows from it and the client's record. */
  readonly latestExpiry?: number | undefined;
}

/**
 * Whether enough of a token's life remains to issue it again. A token from the future means that
 * the clock went back.
 */
function mayIssueAgain(
  { iat, exp }: Pick<AccessTokenClaims, 'iat' | 'exp'>,
  now: number,
  minimumRemainingShare: number,
): boolean {
  return iat <= now && exp - now >= (exp - iat) * minimumRemainingShare;
}

/** Everything that a token depends on except its times and its id. */
function keyOf({ claims, secretHash, clientVersion, latestExpiry }: ReuseRequest): string {
  const { iat, exp, jti: _, ...rest } = claims;
  const lifetime = latestExpiry === undefined ? exp - iat : 0;
  return JSON.stringify([secretHash, clientVersion, lifetime, Object.values(rest)]);
}

/**
 * Returns one token to several equal requests: the same secret of the same unchanged client, the
 * same scope and audience, and the key that would sign now. Each request is authenticated first, so
 * a revoked secret never gets a token. When a key is rotated or withdrawn, tokens of the former key
 * are no longer returned. Requests that arrive while the first is being signed wait for that
 * signature.
 */
export class TokenReuse {
  readonly #settings: TokenReuseSettings;
  readonly #tokens: BoundedMap<string, SignedToken>;
  /** Keys of the tokens of each client, the oldest first. Some may have been removed since. */
  readonly #keysOfClients: BoundedMap<string, string[]>;
  readonly #pending = new Map<string, Promise<SignedToken>>();

  constructor(settings: TokenReuseSettings) {
    this.#settings = settings;
    this.#tokens = new BoundedMap(settings.maxTokens);
    this.#keysOfClients = new BoundedMap(settings.maxTokens);
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

  /** A client that asks for other scopes each time displaces only its own tokens. */
  #keep(key: string, token: SignedToken): void {
    const keys = remember(this.#keysOfClients, token.claims.client_id, () => []);
    if (!keys.includes(key)) keys.push(key);
    if (keys.length > maxTokensOfClient) this.#tokens.delete(keys.shift() ?? '');
    this.#tokens.set(key, token);
  }

  /** `iat` of the request is the present time. */
  #mayGiveAgain({ kid, claims }: SignedToken, request: ReuseRequest): boolean {
    const share = this.#settings.minimumRemainingShare;
    if (claims.exp > (request.latestExpiry ?? claims.exp)) return false;
    return kid === request.kid && mayIssueAgain(claims, request.claims.iat, share);
  }
}
