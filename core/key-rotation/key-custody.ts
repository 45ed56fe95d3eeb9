import { kmsKeyTags } from '../../contract/kms-key.ts';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { PublicKeyError, publicJwkFromSpki } from '../signing-key/public-jwk.ts';
import type { PublicJwk } from '../signing-key/signing-key.ts';
import type { ManagedKeyState } from './key-management.ts';
import { isSamePolicy } from './same-policy.ts';

/** All that KMS says of a key that is to be published. */
export interface KeyInspection {
  readonly state: ManagedKeyState;
  /** `KeySpec`, `KeyUsage`, `Origin` and `KeyManager` of KMS. */
  readonly kmsKeySpec: string;
  readonly keyUsage: string;
  readonly origin: string;
  readonly keyManager: string;
  /** Whether the key may have replicas in other AWS regions, each with a policy of its own. */
  readonly isMultiRegion: boolean;
  readonly tags: ReadonlyMap<string, string>;
  /** JSON. */
  readonly policy: string;
  readonly grants: number;
  /** DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
}

/** What every signing key of a deployment must be like. */
export interface ExpectedCustody {
  readonly deploymentName: string;
  /** The key policy, a JSON object. */
  readonly keyPolicy: unknown;
}

/** Whether only the service can sign with a key, and if so, its public half. */
export type CustodyCheck =
  | { readonly publicJwk: PublicJwk; readonly faults: readonly [] }
  | { readonly publicJwk?: undefined; readonly faults: readonly string[] };

/**
 * Checks that only the service can sign with a key: KMS made it, no one has a copy, its policy is
 * the one that the deployment gives to its keys, and no grant opens it to anyone else.
 */
export function checkCustody(
  inspection: KeyInspection,
  alg: Alg,
  { deploymentName, keyPolicy }: ExpectedCustody,
): CustodyCheck {
  const { state, kmsKeySpec, keyUsage, origin, keyManager, isMultiRegion, tags } = inspection;
  const compared: readonly (readonly [what: string, received: unknown, allowed: unknown])[] = [
    ['state', state, 'enabled'],
    ['KeySpec', kmsKeySpec, signingAlgorithms[alg].kmsKeySpec],
    ['KeyUsage', keyUsage, 'SIGN_VERIFY'],
    ['Origin', origin, 'AWS_KMS'],
    ['KeyManager', keyManager, 'CUSTOMER'],
    ['MultiRegion', isMultiRegion, false],
    [`tag ${kmsKeyTags.deployment}`, tags.get(kmsKeyTags.deployment), deploymentName],
    ['grants', inspection.grants, 0],
  ];
  const faults = compared
    .filter(([, received, allowed]) => received !== allowed)
    .map(
      ([what, received, allowed]) =>
        `${what}: received ${String(received)}; allowed: ${String(allowed)}`,
    );
  if (!isSamePolicy(inspection.policy, keyPolicy)) {
    faults.push("key policy: received another one than this deployment's");
  }
  if (faults.length > 0) return { faults };
  try {
    return { publicJwk: publicJwkFromSpki(inspection.spki, alg), faults: [] };
  } catch (error) {
    if (!(error instanceof PublicKeyError)) throw error;
    return { faults: [`public key: ${error.message}`] };
  }
}
