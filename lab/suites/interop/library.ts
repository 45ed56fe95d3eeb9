import type { Alg } from '../../../contract/signing-algorithms.ts';
import type { Missing, Trust } from '../../support/runtimes.ts';
import type { RunningVerifier, Variables } from './running-program.ts';

export type Open = (alg: Alg, variables: Variables) => Promise<RunningVerifier>;

/** How to start a verifier, or what this machine lacks. */
type Prepared = { readonly open: Open } | Missing;

export interface Library {
  /** With its version, as the table has it. */
  readonly name: string;
  readonly language: string;
  /** What a verifier of this service's tokens has to say with it. */
  readonly needs: string;
  /** `typ` of good tokens; `at+jwt` if left out. */
  readonly typ?: 'JWT';
  /** Whether it also decides about scopes. */
  readonly checksScopes?: true;
  /** Algorithms that it cannot verify, each with the reason. Anything else must work. */
  readonly limits?: Partial<Readonly<Record<Alg, string>>>;
  /** What it does with a key of an unknown type in the JWKS, if that breaks the other keys. */
  readonly breaksWithMlDsa?: string;
  /** It fetches no JWKS. */
  readonly ownCache?: true;
  /** `moves`: the program's clock can be moved, to see when a new key is accepted. */
  readonly clock?: 'moves';
  /** When a new key is accepted, if a setting of the library decides that. The run shortens it. */
  readonly refresh?: string;
  prepare(trust: Trust): Promise<Prepared>;
}

export function typOf({ typ }: Library): 'at+jwt' | 'JWT' {
  return typ ?? 'at+jwt';
}
