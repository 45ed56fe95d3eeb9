/** Whether KMS receives the digest of the signing input or the signing input itself. */
type KmsMessageType = 'DIGEST' | 'RAW';

/** One JWS algorithm and how KMS produces it. */
export interface SigningAlgorithm {
  /** JWK key type (RFC 7518 §6.1; `AKP` for ML-DSA). */
  readonly kty: 'RSA' | 'EC' | 'AKP';
  /** JWK curve (RFC 7518 §6.2.1.1), only for `kty` EC. */
  readonly crv?: 'P-256' | 'P-384';
  /** KMS `KeySpec` of a key that signs with this algorithm. */
  readonly kmsKeySpec: string;
  /** KMS `SigningAlgorithm`. */
  readonly kmsSigningAlgorithm: string;
  /** KMS `MessageType`. RAW is limited to 4096 bytes; ML-DSA supports only RAW. */
  readonly kmsMessageType: KmsMessageType;
  /** node:crypto digest name, if the message type is DIGEST. */
  readonly digest?: 'sha256' | 'sha384';
}

const table = {
  RS256: {
    kty: 'RSA',
    kmsKeySpec: 'RSA_2048',
    kmsSigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    kmsMessageType: 'DIGEST',
    digest: 'sha256',
  },
  PS256: {
    kty: 'RSA',
    kmsKeySpec: 'RSA_2048',
    kmsSigningAlgorithm: 'RSASSA_PSS_SHA_256',
    kmsMessageType: 'DIGEST',
    digest: 'sha256',
  },
  ES256: {
    kty: 'EC',
    crv: 'P-256',
    kmsKeySpec: 'ECC_NIST_P256',
    kmsSigningAlgorithm: 'ECDSA_SHA_256',
    kmsMessageType: 'DIGEST',
    digest: 'sha256',
  },
  ES384: {
    kty: 'EC',
    crv: 'P-384',
    kmsKeySpec: 'ECC_NIST_P384',
    kmsSigningAlgorithm: 'ECDSA_SHA_384',
    kmsMessageType: 'DIGEST',
    digest: 'sha384',
  },
  'ML-DSA-44': {
    kty: 'AKP',
    kmsKeySpec: 'ML_DSA_44',
    kmsSigningAlgorithm: 'ML_DSA_SHAKE_256',
    kmsMessageType: 'RAW',
  },
  'ML-DSA-65': {
    kty: 'AKP',
    kmsKeySpec: 'ML_DSA_65',
    kmsSigningAlgorithm: 'ML_DSA_SHAKE_256',
    kmsMessageType: 'RAW',
  },
  'ML-DSA-87': {
    kty: 'AKP',
    kmsKeySpec: 'ML_DSA_87',
    kmsSigningAlgorithm: 'ML_DSA_SHAKE_256',
    kmsMessageType: 'RAW',
  },
} as const satisfies Record<string, SigningAlgorithm>;

/** JWS `alg` of an access token of this service (RFC 7518 §3.1, RFC 9964 for ML-DSA). */
export type Alg = keyof typeof table;

/** The closed set of signing algorithms, by JWS `alg`. */
export const signingAlgorithms: Readonly<Record<Alg, SigningAlgorithm>> = Object.freeze(table);

export const algs = Object.freeze(Object.keys(table)) as readonly [Alg, ...Alg[]];

/** RFC 9068 §2.1: authorization servers and resource servers must support RS256. */
export const defaultAlg: Alg = 'RS256';
