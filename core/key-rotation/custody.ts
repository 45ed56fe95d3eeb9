import { kmsKeyTags } from '../../contract/kms-key.ts';
import { type Alg, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { PublicKeyError, publicJwkFromSpki } from '../signing-key/public-jwk.ts';
import type { PublicJwk } from '../signing-key/signing-key.ts';
import type { KeyInspection } from './rotation-ports.ts';

/** What every signing key of a deployment must be like. */
export interface ExpectedCustody {
  readonly deploymentName: string;
  /** The key policy, a JSON object. */
  readonly keyPolicy: unknown;
}

/** Whether only the service can sign with a key, and if so, its public half. */
type CustodyCheck =
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

/** A list in which neither order nor repetition counts, and which one value stands for as well. */
function canonicalList(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(items.map((item) => JSON.stringify(canonicalItem(item))))].sort();
}

function canonicalItem(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, content]) => [name, canonicalList(content)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Whether two IAM policy documents are the same but for what has no meaning: the order of
 * statements, of members and of lists, and whether a list of one value is written as a list. KMS
 * may change these when it stores a policy.
 *
 * @param text JSON; text that is no JSON is no policy.
 */
export function isSamePolicy(text: string, expected: unknown): boolean {
  try {
    return canonicalList(JSON.parse(text)).join() === canonicalList(expected).join();
  } catch {
    return false;
  }
}
