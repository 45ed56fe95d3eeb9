import {
  constants,
  createHash,
  generateKeyPair,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';
import { signEcdsa } from './ecdsa-signature.ts';

type Digest = 'sha256' | 'sha384';

/**
 * DER of `DigestInfo` up to the digest itself (RFC 8017 §9.2, note 1). node:crypto signs messages
 * and would hash a digest again, so the encoding is done here and node:crypto only does the RSA
 * operation.
 */
const digestInfoPrefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** RSASSA-PKCS1-v1_5 of a digest (RFC 8017 §8.2.1). */
export function signRsaPkcs1(privateKey: KeyObject, hashed: Uint8Array): Uint8Array {
  // Its padding is PKCS #1 v1.5 by default. With options, Node needs 20 µs more.
  return privateEncrypt(privateKey, Buffer.concat([digestInfoPrefix, hashed]));
}

/** Mask generation function MGF1 (RFC 8017 appendix B.2.1). */
function mgf1(seed: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0; Buffer.concat(blocks).length < length; counter += 1) {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(counter);
    blocks.push(createHash('sha256').update(seed).update(octets).digest());
  }
  return Buffer.concat(blocks).subarray(0, length);
}

/** EMSA-PSS-ENCODE (RFC 8017 §9.1.1) with a salt as long as the digest, as KMS does. */
function encodePss(hashed: Uint8Array, bits: number): Buffer {
  const length = Math.ceil(bits / 8);
  const salt = randomBytes(hashed.length);
  const hash = createHash('sha256').update(Buffer.alloc(8)).update(hashed).update(salt).digest();
  const padding = Buffer.alloc(length - salt.length - hash.length - 2);
  const block = Buffer.concat([padding, Buffer.from([0x01]), salt]);
  const mask = mgf1(hash, block.length);
  const masked = block.map((byte, index) => byte ^ (mask[index] ?? 0));
  // The leftmost bits beyond the modulus are zero, so that the number stays below it.
  masked[0] = (masked[0] ?? 0) & (0xff >> (8 * length - bits));
  return Buffer.concat([masked, hash, Buffer.from([0xbc])]);
}

/** RSASSA-PSS of a digest (RFC 8017 §8.1.1), MGF1 and salt by the same digest. */
function signRsaPss(privateKey: KeyObject, hashed: Uint8Array): Uint8Array {
  const modulusBits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  // One bit less than the modulus (RFC 8017 §8.1.1); the message fills whole octets of it.
  const encoded = encodePss(hashed, modulusBits - 1);
  return privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encoded);
}

const generate = promisify(generateKeyPair);

/** How KMS signs with one of its `SigningAlgorithm`s. */
export interface KmsSigningAlgorithm {
  readonly name: string;
  /** node:crypto digest name; absent if the algorithm takes the message itself. */
  readonly digest?: Digest;
  /** @param input the digest, or the message if there is no `digest`. */
  readonly sign: (privateKey: KeyObject, input: Uint8Array) => Uint8Array;
}

export interface KmsKeySpec {
  readonly generate: () => Promise<{
    readonly publicKey: KeyObject;
    readonly privateKey: KeyObject;
  }>;
  readonly signingAlgorithms: readonly KmsSigningAlgorithm[];
}

const rsa: readonly KmsSigningAlgorithm[] = [
  { name: 'RSASSA_PKCS1_V1_5_SHA_256', digest: 'sha256', sign: signRsaPkcs1 },
  { name: 'RSASSA_PSS_SHA_256', digest: 'sha256', sign: signRsaPss },
];

/** ML-DSA (FIPS 204) over the message itself, with an empty context as KMS's RAW has it. */
function signMlDsa(privateKey: KeyObject, message: Uint8Array): Uint8Array {
  return sign(null, message, privateKey);
}

const mlDsa: readonly KmsSigningAlgorithm[] = [{ name: 'ML_DSA_SHAKE_256', sign: signMlDsa }];

/** The key specs that this service can sign tokens with, by KMS's names. */
export const keySpecs: ReadonlyMap<string, KmsKeySpec> = new Map<string, KmsKeySpec>([
  [
    'RSA_2048',
    { generate: () => generate('rsa', { modulusLength: 2048 }), signingAlgorithms: rsa },
  ],
  [
    'ECC_NIST_P256',
    {
      generate: () => generate('ec', { namedCurve: 'P-256' }),
      signingAlgorithms: [{ name: 'ECDSA_SHA_256', digest: 'sha256', sign: signEcdsa }],
    },
  ],
  [
    'ECC_NIST_P384',
    {
      generate: () => generate('ec', { namedCurve: 'P-384' }),
      signingAlgorithms: [{ name: 'ECDSA_SHA_384', digest: 'sha384', sign: signEcdsa }],
    },
  ],
  ['ML_DSA_44', { generate: () => generate('ml-dsa-44'), signingAlgorithms: mlDsa }],
  ['ML_DSA_65', { generate: () => generate('ml-dsa-65'), signingAlgorithms: mlDsa }],
  ['ML_DSA_87', { generate: () => generate('ml-dsa-87'), signingAlgorithms: mlDsa }],
]);

/** Any other name is a validation error. */
export const signingAlgorithmNames: ReadonlySet<string> = new Set(
  [...keySpecs.values()].flatMap((spec) => spec.signingAlgorithms.map(({ name }) => name)),
);
