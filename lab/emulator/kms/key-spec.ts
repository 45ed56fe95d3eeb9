import { generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { signEcdsa } from './ecdsa-signature.ts';
import { signRsaPkcs1, signRsaPss } from './rsa-signature.ts';

const generate = promisify(generateKeyPair);

/** How KMS signs with one of its `SigningAlgorithm`s. */
export interface KmsSigningAlgorithm {
  readonly name: string;
  /** node:crypto digest name; absent if the algorithm takes the message itself. */
  readonly digest?: 'sha256' | 'sha384' | 'sha512';
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

const digests = [
  ['sha256', 'SHA_256'],
  ['sha384', 'SHA_384'],
  ['sha512', 'SHA_512'],
] as const;

const rsa: readonly KmsSigningAlgorithm[] = [
  ...digests.map(([digest, suffix]) => ({
    name: `RSASSA_PKCS1_V1_5_${suffix}`,
    digest,
    sign: (key: KeyObject, input: Uint8Array) => signRsaPkcs1(key, digest, input),
  })),
  ...digests.map(([digest, suffix]) => ({
    name: `RSASSA_PSS_${suffix}`,
    digest,
    sign: (key: KeyObject, input: Uint8Array) => signRsaPss(key, digest, input),
  })),
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

/** Every name of KMS's closed set, supported here or not. Any other name is a validation error. */
export const signingAlgorithmNames: ReadonlySet<string> = new Set([
  ...[...keySpecs.values()].flatMap((spec) => spec.signingAlgorithms.map(({ name }) => name)),
  'ECDSA_SHA_512',
  'ED25519_PH_SHA_512',
  'ED25519_SHA_512',
  'SM2DSA',
]);
