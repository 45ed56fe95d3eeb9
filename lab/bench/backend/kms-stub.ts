import { constants, generateKeyPairSync, type KeyObject, privateEncrypt } from 'node:crypto';

/** ASN.1 of `DigestInfo` for SHA-256, without the digest (RFC 8017 §9.2, note 1). */
const sha256DigestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');

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
    const digest = Buffer.from(request.Message, 'base64');
    const key = { key: this.#privateKey, padding: constants.RSA_PKCS1_PADDING };
    const signature = privateEncrypt(key, Buffer.concat([sha256DigestInfo, digest]));
    return {
      KeyId: request.KeyId,
      Signature: signature.toString('base64'),
      SigningAlgorithm: request.SigningAlgorithm,
    };
  }
}
