import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { signRsaPkcs1 } from '../../emulator/kms/key-spec.ts';

interface SignRequest {
  readonly KeyId: string;
  readonly Message: string;
  readonly MessageType: string;
  readonly SigningAlgorithm: string;
}

/** One RSA_2048 key that signs as KMS does with `RSASSA_PKCS1_V1_5_SHA_256` over a digest. */
export class KmsStub {
  /** Public half, DER in base64, as GetPublicKey gives it. */
  readonly publicSpki: string;
  readonly #privateKey: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#privateKey = privateKey;
    this.publicSpki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  }

  reply(operation: string, body: string): unknown {
    if (operation !== 'Sign') throw new Error(`the KMS stub only signs, asked to ${operation}`);
    const request = JSON.parse(body) as SignRequest;
    if (request.MessageType !== 'DIGEST') throw new Error('the KMS stub signs digests');
    const signature = signRsaPkcs1(this.#privateKey, Buffer.from(request.Message, 'base64'));
    return {
      KeyId: request.KeyId,
      Signature: Buffer.from(signature).toString('base64'),
      SigningAlgorithm: request.SigningAlgorithm,
    };
  }
}
