import type { AuthorizerSection } from './sections/authorizer.ts';
import type { DocumentSection } from './sections/documents.ts';
import type { OidcProviderSection } from './sections/oidc-provider.ts';
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
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly plan: 'full' | 'quick';
}

/** Everything that one run of the benchmark measured. */
export interface Results {
  readonly machine: Machine;
  readonly token: TokenSection;
  readonly documents: DocumentSection;
  readonly authorizer: AuthorizerSection;
  readonly oidcProvider: OidcProviderSection;
  readonly reuse: ReuseSection;
  readonly sharedReuse: SharedReuseSection;
  readonly scale: ScaleSection;
}
