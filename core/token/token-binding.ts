import type { ProofAlg } from '../../contract/proof-algorithms.ts';
import { tokenPath } from '../../contract/routes.ts';
import type { Client } from '../client/client.ts';
import { BearerRefusal } from '../verifier/bearer-refusal.ts';
import { verifyProof } from '../verifier/dpop-proof.ts';
import { ProofMemory } from '../verifier/proof-memory.ts';
import { findProofMode, type ProofModes } from './access-token-claims.ts';
import type { Outcome } from './federation.ts';
import type { TokenValues } from './token-values.ts';

interface BindingSettings extends ProofModes {
  readonly algorithms: readonly ProofAlg[];
  /** What a proof may be for: each of this deployment's own. */
  readonly tokenEndpoints: readonly string[];
}

/** A token for a client that is authenticated, so that no one else causes a verification. */
interface RequestedToken {
  readonly client: Pick<Client, 'clientId' | 'serviceTrunkGroup'>;
  readonly audience: string;
  /** The path that was called, which the proof must name. */
  readonly path: string;
}

/**
 * Finds the key that a token is bound to (RFC 9449 §5): its thumbprint, or undefined if the token is
 * a bearer token.
 *
 * @param proofs each `DPoP` header of the request.
 */
export type FindBinding<Result = Promise<Outcome<string | undefined>>> = (
  proofs: readonly string[],
  token: RequestedToken,
  values: Pick<TokenValues, 'now' | 'log'>,
) => Result;

function describe({ reason, description = '', facts }: BearerRefusal): string {
  if (reason === 'proof_missing') {
    return 'a token for this audience is bound to a key: the request needs a DPoP proof of it';
  }
  return reason === 'proof_invalid' ? `${description}: ${facts.proofPart}` : description;
}

export function createBinding({
  algorithms,
  tokenEndpoints,
  ...modes
}: BindingSettings): FindBinding<Outcome<string | undefined>> {
  const rules = { memory: new ProofMemory(), algorithms };
  return (proofs, { client, audience, path }, { now, log }) => {
    const mode = findProofMode(modes, audience);
    if (mode === undefined || (mode === 'allowed' && proofs.length === 0)) {
      return { found: undefined };
    }
    const urls = tokenEndpoints.map((url) => url.replace(tokenPath, path));
    try {
      const found = verifyProof({ proofs, method: 'POST', urls }, { holder: client }, rules, now);
      log.further = { ...log.further, bound_to: found };
      return { found };
    } catch (error) {
      if (!(error instanceof BearerRefusal)) throw error;
      log.further = { ...log.further, proof_part: error.facts.proofPart };
      const { reason } = error;
      return { refusal: { reason, code: 'invalid_dpop_proof', description: describe(error) } };
    }
  };
}
