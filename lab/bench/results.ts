import type { OidcProviderSection } from './sections/oidc-provider.ts';
import type { PairsSection } from './sections/pairs.ts';
import type { ReuseSection } from './sections/reuse.ts';
import type { ScaleSection } from './sections/scale.ts';
import type { SharedReuseSection } from './sections/shared-reuse.ts';
import type { TokenSection } from './sections/token.ts';

/** Where and how it was measured. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cpus: number;
  /** Load average of the minute before. */
  readonly load: number;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly plan: 'full' | 'quick';
}

/** The token function in processes of its own, measured once. */
export interface FunctionRound {
  readonly token: TokenSection;
}

/** Everything with a target, measured once. Each round starts new processes. */
export interface Round extends FunctionRound {
  readonly pairs: PairsSection;
  readonly oidcProvider: OidcProviderSection;
  readonly sharedReuse: SharedReuseSection;
}

/** The token function on a slow machine. */
export interface SlowResults {
  readonly machine: Machine;
  readonly rounds: readonly FunctionRound[];
}

/** Everything that one run of the benchmark measured. */
export interface Results {
  readonly machine: Machine;
  readonly rounds: readonly Round[];
  readonly reuse: ReuseSection;
  readonly scale: ScaleSection;
}
