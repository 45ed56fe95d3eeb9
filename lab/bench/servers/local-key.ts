import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** An RSA_2048 key of this process, in KMS's place. */
export function createLocalKey(): { readonly privateKey: KeyObject; readonly publicSpki: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    privateKey,
    publicSpki: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  };
}
