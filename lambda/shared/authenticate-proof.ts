import type { AuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import {
  type CallerProof,
  callerProofMaxAge,
  parseCallerProof,
} from '../../contract/caller-proof.ts';
import { InputError } from '../../core/errors.ts';

/** How a proof is checked. */
interface ProofCheck {
  readonly authenticate: AuthenticateCaller;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** `20261120T093000Z` → seconds since the epoch. */
function parseBasicTime(text: string): number {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return Date.parse(iso) / 1000;
}

function readProof(input: unknown, now: number): CallerProof {
  const proof = parseCallerProof(input);
  if (proof === undefined) {
    throw new InputError('caller_proof: allowed: a signed request to STS, as authctl makes it');
  }
  if (Math.abs(parseBasicTime(proof.date) - now) <= callerProofMaxAge) return proof;
  throw new InputError(
    `caller_proof: received one of ${proof.date}; allowed: at most ${callerProofMaxAge} s old`,
  );
}

/** The account of an ARN. */
export function accountOf(arn: string): string | undefined {
  return arn.split(':')[4];
}

/**
 * Finds out who signed a proof.
 *
 * @param digest names what is asked; the signature must cover it.
 * @returns the ARN of the user, or of the role's session.
 * @throws {InputError} if it is no proof, is too old, or AWS does not accept the signature.
 */
export async function authenticateProof(
  proof: unknown,
  digest: string,
  { authenticate, now }: ProofCheck,
): Promise<string> {
  return authenticate(readProof(proof, now()), digest);
}
