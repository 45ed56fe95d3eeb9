import { hash } from 'node:crypto';
import { type KMSClient, SignCommand, type SigningAlgorithmSpec } from '@aws-sdk/client-kms';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import type { PortOptions } from '../../core/port.ts';
import { ecdsaSignatureFromDer } from '../../core/signing-key/ecdsa-signature.ts';
import type { Sign } from '../../core/signing-key/sign-jws.ts';
import { callWithKey, KmsResponseError } from '../aws-errors.ts';
import type { AwsJsonClient } from '../aws-json/aws-json-client.ts';

/** KMS's Sign, in the terms of its API. */
type SignCall = (
  input: {
    readonly KeyId: string;
    readonly Message: Uint8Array;
    readonly MessageType: 'DIGEST' | 'RAW';
    readonly SigningAlgorithm: SigningAlgorithmSpec;
  },
  options: PortOptions,
) => Promise<{ readonly KeyId?: string | undefined; readonly Signature?: Uint8Array | undefined }>;

function toMessage(alg: Alg, signingInput: Uint8Array): Uint8Array {
  const { digest } = signingAlgorithms[alg];
  return digest === undefined ? signingInput : hash(digest, signingInput, 'buffer');
}

function toJwsSignature(alg: Alg, signature: Uint8Array): Uint8Array {
  return alg === 'ES256' || alg === 'ES384' ? ecdsaSignatureFromDer(signature, alg) : signature;
}

/** Signs with the KMS key that the ARN names: an alias could move between two reads of it. */
function createSign(call: SignCall): Sign {
  return async (key, signingInput, options = {}) => {
    const { kmsMessageType, kmsSigningAlgorithm } = signingAlgorithms[key.alg];
    const input = {
      KeyId: key.kmsKeyArn,
      Message: toMessage(key.alg, signingInput),
      MessageType: kmsMessageType,
      SigningAlgorithm: kmsSigningAlgorithm as SigningAlgorithmSpec,
    };
    const { KeyId, Signature } = await callWithKey(`sign (kms:Sign) with ${key.kmsKeyArn}`, () =>
      call(input, options),
    );
    if (KeyId !== key.kmsKeyArn || Signature === undefined) {
      throw new KmsResponseError(`KMS signed with ${KeyId}, asked for ${key.kmsKeyArn}`);
    }
    return toJwsSignature(key.alg, Signature);
  };
}

interface SignOutput {
  readonly KeyId?: string;
  /** base64. */
  readonly Signature?: string;
}

/** Signs through the AWS JSON client; in JSON, bytes are base64. */
export function createJsonKmsSign(client: AwsJsonClient): Sign {
  return createSign(async (input, options) => {
    const Message = Buffer.from(input.Message).toString('base64');
    const output = (await client.call('Sign', { ...input, Message }, options)) as SignOutput;
    const { KeyId, Signature } = output;
    return {
      KeyId,
      Signature: Signature === undefined ? undefined : Buffer.from(Signature, 'base64'),
    };
  });
}

/** Signs through the SDK's client. */
export function createKmsSign(kms: KMSClient): Sign {
  return createSign((input, { signal }) =>
    kms.send(new SignCommand(input), { abortSignal: signal }),
  );
}
