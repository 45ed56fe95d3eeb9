import type { JsonObject } from '../../contract/json-object.ts';
import { isSignatureValid } from '../jws/jws-signature.ts';
import { decodeUnverifiedJws } from './compact-jws.ts';
import type { VerificationKey } from './jwks-cache.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

/** A token as received. Do not trust its content before its signature is verified. */
export interface ReceivedToken {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  isSignedBy(key: VerificationKey): boolean;
}

function decodeToken(token: string, verifiedTokens: VerifiedTokens | undefined): ReceivedToken {
  const { header, payload, signingInput, signature } = decodeUnverifiedJws(token);
  return {
    header,
    payload,
    isSignedBy(key) {
      const isValid = isSignatureValid(key.alg, key.publicKey, signingInput, signature);
      if (isValid) verifiedTokens?.remember(token, { header, payload, key });
      return isValid;
    },
  };
}

/**
 * Reads a token. One whose signature was verified before is not decoded again, and its signature
 * is verified again only under another key: a key set that was fetched again has new keys.
 *
 * @throws {BearerRefusal} if the token is malformed.
 */
export function readToken(
  token: string,
  verifiedTokens: VerifiedTokens | undefined,
): ReceivedToken {
  const known = verifiedTokens?.find(token);
  if (known === undefined) return decodeToken(token, verifiedTokens);
  const { header, payload } = known;
  return {
    header,
    payload,
    isSignedBy: (key) => key === known.key || decodeToken(token, verifiedTokens).isSignedBy(key),
  };
}
