/** `alg` of callers' keys (RFC 9449 §4.2): those of FAPI 2.0 §5.4, of AWS KMS and of SMART. */
export const proofAlgs = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'PS256', 'RS256', 'RS384'] as const;

export type ProofAlg = (typeof proofAlgs)[number];

export function isProofAlg(value: unknown): value is ProofAlg {
  return proofAlgs.some((alg) => alg === value);
}

/** `alg` of a client's own key. Ed25519 has two names on the wire (RFC 9864), and one here. */
export const clientKeyAlgs = ['ES256', 'ES384', 'Ed25519', 'PS256', 'RS256', 'RS384'] as const;

export type ClientKeyAlg = (typeof clientKeyAlgs)[number];

/** Whether a token is bound to the key of a proof: if its request has one, or always. */
export const proofModes = ['allowed', 'required'] as const;

export type ProofMode = (typeof proofModes)[number];

/** Whether a text is an origin (RFC 6454 §6.2), the part of a proof's URL that an API knows itself. */
export function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text;
}
