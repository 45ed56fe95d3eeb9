import { buildJwks } from '../../core/jwks/jwks.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { createDocument, type Document } from '../shared/document-endpoint.ts';

/**
 * Until when a list of keys results in the same JWKS: a `previous` key leaves at its recorded time.
 */
function nextChange(keys: readonly SigningKey[], now: number): number {
  return Math.min(
    ...keys.map(({ withdrawAt = Number.POSITIVE_INFINITY }) =>
      withdrawAt > now ? withdrawAt : Number.POSITIVE_INFINITY,
    ),
  );
}

interface Made {
  readonly keys: readonly SigningKey[];
  readonly from: number;
  readonly until: number;
  readonly document: Document;
}

/**
 * Makes the JWKS of a list of keys, once for each list and set of keys within it.
 *
 * @param maxAge seconds for which readers may cache it.
 * @returns a function of the time in seconds since the epoch, which throws the errors of {@link
 * buildJwks}.
 */
export function createJwksDocuments(
  maxAge: number,
): (keys: readonly SigningKey[], now: number) => Document {
  let made: Made | undefined;
  return (keys, now) => {
    if (made?.keys !== keys || now < made.from || now >= made.until) {
      const document = createDocument(buildJwks(keys, now), maxAge);
      made = { keys, from: now, until: nextChange(keys, now), document };
    }
    return made.document;
  };
}
