/** What a key must be to sign with a JWS algorithm (RFC 7518 §3.1, RFC 9864, RFC 9964). */
interface ProviderAlgorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP' | 'AKP';
  /** Curve, for `kty` EC and OKP. */
  readonly crv?: string;
}

const table = {
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  PS384: { kty: 'RSA' },
  PS512: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  'ML-DSA-44': { kty: 'AKP' },
  'ML-DSA-65': { kty: 'AKP' },
  'ML-DSA-87': { kty: 'AKP' },
} as const satisfies Record<string, ProviderAlgorithm>;

/** `alg` of a registered provider's tokens: only asymmetric ones, and never `none`. */
export type ProviderAlg = keyof typeof table;

export const providerAlgorithms: Readonly<Record<ProviderAlg, ProviderAlgorithm>> =
  Object.freeze(table);

export const providerAlgs = Object.freeze(Object.keys(table)) as readonly ProviderAlg[];

export function isProviderAlg(value: unknown): value is ProviderAlg {
  return typeof value === 'string' && Object.hasOwn(table, value);
}
