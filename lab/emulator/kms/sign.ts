import { createHash } from 'node:crypto';
import { AwsError } from '../aws-server/aws-error.ts';
import { findUsableKey, type KmsContext } from './find-key.ts';
import { type KmsInput, readBytes, readChoice } from './input.ts';
import type { KmsSigningAlgorithm } from './key-spec.ts';
import { signingAlgorithmNames } from './key-spec.ts';
import { validationError } from './kms-error.ts';
import { type KmsKey, keyArn, specOf } from './kms-key.ts';

/** KMS quota: octets of `Message`. Longer messages are hashed by the caller. */
const maxMessageBytes = 4096;

const messageTypes = new Set(['RAW', 'DIGEST'] as const);

type MessageType = 'RAW' | 'DIGEST';

function readAlgorithm(input: KmsInput, key: KmsKey): KmsSigningAlgorithm {
  const name = readChoice(input, 'SigningAlgorithm', signingAlgorithmNames);
  const algorithm = specOf(key).signingAlgorithms.find((candidate) => candidate.name === name);
  if (algorithm !== undefined) return algorithm;
  throw new AwsError(
    'InvalidKeyUsageException',
    `Algorithm ${name} is incompatible with key spec ${key.keySpec}.`,
  );
}

function hash(digest: string, message: Uint8Array): Buffer {
  return createHash(digest).update(message).digest();
}

/** The input of the algorithm. The message is hashed only if the caller has not done so. */
function signatureInput(
  algorithm: KmsSigningAlgorithm,
  messageType: MessageType,
  message: Uint8Array,
): Uint8Array {
  const { digest, name } = algorithm;
  if (digest === undefined) {
    if (messageType === 'RAW') return message;
    throw validationError(`Message type DIGEST is invalid for algorithm ${name}.`);
  }
  if (messageType === 'RAW') return hash(digest, message);
  if (message.length === hash(digest, new Uint8Array()).length) return message;
  throw validationError(`Digest is invalid length for algorithm ${name}.`);
}

export function sign(input: KmsInput, context: KmsContext): Readonly<Record<string, unknown>> {
  const message = readBytes(input, 'Message', { min: 1, max: maxMessageBytes });
  const messageType = readChoice(input, 'MessageType', messageTypes, 'RAW');
  const key = findUsableKey(input, context);
  const algorithm = readAlgorithm(input, key);
  const signature = algorithm.sign(key.privateKey, signatureInput(algorithm, messageType, message));
  return {
    KeyId: keyArn(key),
    Signature: Buffer.from(signature).toString('base64'),
    SigningAlgorithm: algorithm.name,
  };
}
