import type { AccessTokenType } from '../../contract/access-token-type.ts';
import { BoundedMap } from '../bounded-map.ts';
import { looksLikeClientSecret } from '../credential/credential-value.ts';
import { signingInputOf, verifyWithJwk } from '../signing-key/sign-jws.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import type { ClientCredentials } from './client-credentials.ts';
import {
  deriveSealedTokenKeys,
  nonceBytes,
  openToken,
  type SealedTokenKeys,
  type SealedTokenStore,
  type SharedLookup,
  sealToken,
} from './sealed-token.ts';
import type { TokenParameters } from './token-parameters.ts';
import { mayIssueAgain, type SignedToken, type UnsignedToken } from './token-reuse.ts';
import type { TokenValues } from './token-values.ts';

interface SharedReuseSettings {
  readonly issuer: string;
  /** A token of another type is not returned: its signature would not fit. */
  readonly accessTokenType: AccessTokenType;
  /** See `TokenReuseSettings`. */
  readonly minimumRemainingShare: number;
  /** Tokens of which an instance remembers that it has them. */
  readonly maxTokens: number;
}

/** An item's time is rounded up, so that it says little about the token. */
const expiryStep = 3600;

/** What the item does not hold, and what must be unchanged. */
function contextOf({ client, secret }: UnsignedToken, { kid }: SigningKey): string {
  return JSON.stringify([secret.secretId, client.version, kid]);
}

/** Shares tokens between instances through a table that cannot be read; see docs/adr/0061. */
export class SharedTokenReuse {
  readonly #store: SealedTokenStore;
  readonly #settings: SharedReuseSettings;
  readonly #drawBytes: (length: number) => Uint8Array;
  /** By item: until when this instance's own memory has its token. */
  readonly #ownUntil: BoundedMap<string, number>;

  constructor(
    store: SealedTokenStore,
    settings: SharedReuseSettings,
    drawBytes: (length: number) => Uint8Array,
  ) {
    this.#store = store;
    this.#settings = settings;
    this.#ownUntil = new BoundedMap(settings.maxTokens);
    this.#drawBytes = drawBytes;
  }

  /**
   * Begins to look for what another instance may have signed for a request. The client need not be
   * authenticated yet: a caller that does not know the secret finds nothing.
   */
  lookUp(
    { clientId, clientSecret }: ClientCredentials,
    { scopes, resource }: TokenParameters,
    { now, signal }: Pick<TokenValues, 'now' | 'signal'>,
  ): SharedLookup | undefined {
    // Only what is made here has 256 random bits. Anything else is refused anyway.
    if (!looksLikeClientSecret(clientSecret)) return undefined;
    const choice = { clientId, scopes, resource };
    const keys = deriveSealedTokenKeys(choice, clientSecret, this.#settings.issuer);
    const begin = () => this.#store.read(keys.itemId, { signal });
    // This instance has the token itself, as far as it can know before it reads the client.
    const isOwn = now <= (this.#ownUntil.get(keys.itemId) ?? 0);
    return { keys, read: isOwn ? () => begin()() : begin() };
  }

  /** Finds what another instance signed, if it fits the request. */
  async find(unsigned: UnsignedToken, key: SigningKey): Promise<SignedToken | undefined> {
    const { shared } = unsigned;
    const sealed = await shared?.read();
    if (shared === undefined || sealed === undefined) return undefined;
    const token = this.#open(shared.keys, sealed, unsigned, key);
    if (token !== undefined)
      this.#ownUntil.set(shared.keys.itemId, this.#reusableUntil(token.claims));
    return token;
  }

  /** Shares what was signed here, unless a fallback key signed it. */
  async share(unsigned: UnsignedToken, key: SigningKey, token: SignedToken): Promise<void> {
    const { shared } = unsigned;
    if (shared === undefined || token.kid !== key.kid) return;
    this.#ownUntil.set(shared.keys.itemId, this.#reusableUntil(token.claims));
    const { jws, claims } = token;
    const signature = Buffer.from(jws.slice(jws.lastIndexOf('.') + 1), 'base64url');
    const content = { issuedAt: claims.iat, jti: claims.jti, signature };
    const nonce = this.#drawBytes(nonceBytes);
    const sealed = sealToken(shared.keys, content, contextOf(unsigned, key), nonce);
    const expiresAt = Math.ceil(this.#reusableUntil(claims) / expiryStep) * expiryStep;
    await this.#store.write({ itemId: shared.keys.itemId, sealed, expiresAt });
  }

  /** Whether the table has failed since this was last asked. */
  hasFailed(): boolean {
    return this.#store.takeFailures() > 0;
  }

  /**
   * Builds the token again from this request. Only what `key` signed over exactly the same header
   * and claims has a signature that verifies.
   */
  #open(
    keys: SealedTokenKeys,
    sealed: Uint8Array,
    unsigned: UnsignedToken,
    key: SigningKey,
  ): SignedToken | undefined {
    const content = openToken(keys, sealed, contextOf(unsigned, key));
    if (content === undefined) return undefined;
    const { issuedAt: iat, jti, signature } = content;
    const { claims: planned } = unsigned;
    const claims = {
      ...planned,
      iat,
      exp: iat + (planned.exp - planned.iat),
      jti,
    };
    if (!mayIssueAgain(claims, planned.iat, this.#settings.minimumRemainingShare)) return undefined;
    const typ = this.#settings.accessTokenType;
    const signingInput = signingInputOf(key, { typ, payload: claims });
    if (!verifyWithJwk(key.publicJwk, Buffer.from(signingInput), signature)) return undefined;
    const jws = `${signingInput}.${Buffer.from(signature).toString('base64url')}`;
    return { jws, claims, kid: key.kid, unusableKids: [] };
  }

  #reusableUntil({ iat, exp }: SignedToken['claims']): number {
    return exp - (exp - iat) * this.#settings.minimumRemainingShare;
  }
}
