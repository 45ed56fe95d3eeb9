import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { signingKeyStates } from '../../contract/tables.ts';
import type { PortOptions } from '../port.ts';

/** Public half of a signing key (RFC 7517 §4), as the JWKS shows it. */
export type PublicJwk = Readonly<
  { kid: string; alg: Alg; use: 'sig' } & (
    | { kty: 'RSA'; n: string; e: string }
    | { kty: 'EC'; crv: 'P-256' | 'P-384'; x: string; y: string }
    | { kty: 'AKP'; pub: string }
  )
>;

export type SigningKeyState = (typeof signingKeyStates)[number];

/** A signing key of one region. Times are seconds since the epoch. */
export interface SigningKey {
  /** RFC 7638 SHA-256 thumbprint of the public key. */
  readonly kid: string;
  readonly regionId: RegionId;
  readonly alg: Alg;
  /** The KMS key. Signing names it by ARN, never by alias: `kid` is inside the signed bytes. */
  readonly kmsKeyArn: string;
  readonly publicJwk: PublicJwk;
  readonly state: SigningKeyState;
  /** When the key entered each state. */
  readonly publishedAt: number;
  /** Of a `next` key: when every region in service was first seen to serve it. */
  readonly seenAt?: number | undefined;
  /**
   * When every instance of every region's JWKS function was known to serve the key. The lead begins
   * then.
   */
  readonly provedAt?: number | undefined;
  readonly activatedAt?: number | undefined;
  readonly retiredAt?: number | undefined;
  readonly withdrawnAt?: number | undefined;
  readonly disabledAt?: number | undefined;
  readonly deletionScheduledAt?: number | undefined;
  /** Of a `previous` key: when it leaves the JWKS, whether or not the rotation has run by then. */
  readonly withdrawAt?: number | undefined;
  /** Of a `withdrawn` key: when KMS may disable it. After an emergency, that is at once. */
  readonly disableAt?: number | undefined;
  /** Grows by one with each change. Prevents lost updates when two rotations run at once. */
  readonly version: number;
}

/** Whether a key belongs in the JWKS at a time, in seconds since the epoch. */
export function isPublished(key: SigningKey, now: number): boolean {
  if (key.state === 'next' || key.state === 'current') return true;
  return key.state === 'previous' && (key.withdrawAt === undefined || now < key.withdrawAt);
}

/** What the token and jwks functions need. */
export interface SigningKeyReader {
  /** Every signing key of every region, in no order. A record that cannot be read is skipped. */
  listSigningKeys(options?: PortOptions): Promise<readonly SigningKey[]>;
}

/** What the rotation needs as well. */
export interface SigningKeyStore extends SigningKeyReader {
  /** @throws {ConflictError} if the kid exists. */
  createSigningKey(key: SigningKey): Promise<void>;
  /**
   * Changes a key's state, times and version. What it is, down to its public half, stays as it was
   * published.
   *
   * @throws {ConflictError} if the stored version is not `key.version - 1`.
   */
  replaceSigningKey(key: SigningKey): Promise<void>;
}
