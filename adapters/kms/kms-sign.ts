import { createHash } from 'node:crypto';
import { type KMSClient, SignCommand, type SigningAlgorithmSpec } from '@aws-sdk/client-kms';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { ecdsaSignatureFromDer } from '../../core/signing-key/ecdsa-signature.ts';
import type { Sign } from '../../core/signing-key/sign.ts';
import { callWithKey } from './kms-errors.ts';

/** KMS answered with something else than what was asked for. Nothing of it may be used. */
export class KmsAnswerError extends Error {
  override readonly name = 'KmsAnswerError';
}

function toMessage(alg: Alg, signingInput: Uint8Array): Uint8Array {
  const { digest } = signingAlgorithms[alg];
  return digest === undefined ? signingInput : createHash(digest).update(signingInput).digest();
}

function toJwsSignature(alg: Alg, signature: Uint8Array): Uint8Array {
  return alg === 'ES256' || alg === 'ES384' ? ecdsaSignatureFromDer(signature, alg) : signature;
}

/** Signs with the KMS key that the ARN names: an alias could move between two reads of it. */
export function createKmsSign(kms: KMSClient): Sign {
  return async (key, signingInput, options = {}) => {
    const { kmsMessageType, kmsSigningAlgorithm } = signingAlgorithms[key.alg];
    const command = new SignCommand({
      KeyId: key.kmsKeyArn,
      Message: toMessage(key.alg, signingInput),
      MessageType: kmsMessageType,
      SigningAlgorithm: kmsSigningAlgorithm as SigningAlgorithmSpec,
    });
    const { KeyId, Signature } = await callWithKey(`sign with ${key.kmsKeyArn}`, () =>
      kms.send(command, { abortSignal: options.signal }),
    );
    if (KeyId !== key.kmsKeyArn || Signature === undefined) {
      throw new KmsAnswerError(`KMS signed with ${KeyId}, asked for ${key.kmsKeyArn}`);
    }
    return toJwsSignature(key.alg, Signature);
  };
}
