import type { AccessTokenType } from '../../contract/access-token-type.ts';
import { BoundedMap } from '../bounded-map.ts';
import { looksLikeClientSecret } from '../credential/credential-value.ts';
import { signingInputOf } from '../signing-key/sign-jws.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { verifySignature } from '../signing-key/verify-signature.ts';
import type { Authenticate } from './client-authentication.ts';
import { locateToken, nonceBytes, openToken, type SealedPlace, sealToken } from './sealed-token.ts';
import type { SealedTokenStore } from './sealed-token-store.ts';
import type { SignedToken, SignWithKeys, UnsignedToken } from './sign-token.ts';
import { mayIssueAgain } from './token-reuse.ts';

export interface SharedReuseSettings {
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

  /** Begins to read the sealed token while the client is read. */
  readAhead(authenticate: Authenticate): Authenticate {
    return async (credentials, values, parameters) => {
      const { clientId, clientSecret } = credentials;
      // Only what is made here has 256 random bits. Anything else is refused anyway.
      if (!looksLikeClientSecret(clientSecret))
        return authenticate(credentials, values, parameters);
      const choice = { clientId, scopes: parameters.scopes, resource: parameters.resource };
      const place = locateToken(choice, clientSecret, this.#settings.issuer);
      const isOwn = values.now <= (this.#ownUntil.get(place.itemId) ?? 0);
      const read = isOwn ? undefined : this.#store.read(place.itemId, values);
      return { ...(await authenticate(credentials, values, parameters)), shared: { place, read } };
    };
  }

  /** Issues what another instance signed if it fits; shares what is signed here. */
  shareTokens(sign: SignWithKeys): SignWithKeys {
    return async (unsigned, keys, values) => {
      const { shared } = unsigned;
      const [key] = keys;
      if (shared === undefined || key === undefined) return sign(unsigned, keys, values);
      const { place } = shared;
      const read = shared.read ?? this.#store.read(place.itemId, values);
      const sealed = await read();
      const known = sealed && this.#open(place, sealed, unsigned, key);
      if (known !== undefined) values.log.isReused = true;
      const token = known ?? (await sign(unsigned, keys, values));
      if (token.kid === key.kid) {
        this.#ownUntil.set(place.itemId, this.#reusableUntil(token.claims));
        if (known === undefined) await this.#write(place, unsigned, token, key);
      }
      if (this.#store.takeFailures() > 0) values.log.sharedReuse = 'failed';
      return token;
    };
  }

  /**
   * Builds the token again from this request. Only what `key` signed over exactly the same header
   * and claims has a signature that verifies.
   */
  #open(
    place: SealedPlace,
    sealed: Uint8Array,
    unsigned: UnsignedToken,
    key: SigningKey,
  ): SignedToken | undefined {
    const content = openToken(place, sealed, contextOf(unsigned, key));
    if (content === undefined) return undefined;
    const { issuedAt: iat, jti, signature } = content;
    const { claims: wanted } = unsigned;
    const claims = { ...wanted, iat, exp: iat + (wanted.exp - wanted.iat), jti };
    if (!mayIssueAgain(claims, wanted.iat, this.#settings.minimumRemainingShare)) return undefined;
    const signingInput = signingInputOf(key, {
      typ: this.#settings.accessTokenType,
      payload: claims,
    });
    if (!verifySignature(key.publicJwk, Buffer.from(signingInput), signature)) return undefined;
    const jws = `${signingInput}.${Buffer.from(signature).toString('base64url')}`;
    return { jws, claims, kid: key.kid, unusableKids: [] };
  }

  #write(
    place: SealedPlace,
    unsigned: UnsignedToken,
    { jws, claims }: SignedToken,
    key: SigningKey,
  ): Promise<void> {
    const signature = Buffer.from(jws.slice(jws.lastIndexOf('.') + 1), 'base64url');
    const content = { issuedAt: claims.iat, jti: claims.jti, signature };
    const sealed = sealToken(place, content, contextOf(unsigned, key), this.#drawBytes(nonceBytes));
    const expiresAt = Math.ceil(this.#reusableUntil(claims) / expiryStep) * expiryStep;
    return this.#store.write({ itemId: place.itemId, sealed, expiresAt });
  }

  #reusableUntil({ iat, exp }: SignedToken['claims']): number {
    return exp - (exp - iat) * this.#settings.minimumRemainingShare;
  }
}
