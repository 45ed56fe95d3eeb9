import { type KeyObject, sign } from 'node:crypto';

/** ML-DSA (FIPS 204) over the message itself, with an empty context as KMS's RAW has it. */
export function signMlDsa(privateKey: KeyObject, message: Uint8Array): Uint8Array {
  return sign(null, message, privateKey);
}
