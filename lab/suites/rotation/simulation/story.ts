import type { RegionId } from '../../../../contract/regions.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import type { SigningKeyPolicyInput } from '../../../../contract/signing-key-policy.ts';

/** Something that happens in a history. Times are seconds after its beginning. */
export type Trouble = { readonly at: number } & (
  | {
      /** A region loses its tables; a blind canary does not reach its JWKS either. */
      readonly kind: 'cut off';
      readonly region: RegionId;
      readonly seconds: number;
      readonly readsAreStale: boolean;
      readonly canariesAreBlind: boolean;
    }
  | {
      /** The canary of a region does not reach the JWKS of another. */
      readonly kind: 'unreachable';
      readonly region: RegionId;
      readonly from: RegionId;
      readonly seconds: number;
    }
  | { readonly kind: 'KMS is down'; readonly region: RegionId; readonly seconds: number }
  | {
      readonly kind: 'runs are missed';
      readonly regions: readonly RegionId[];
      readonly seconds: number;
    }
  | {
      readonly kind: 'crash';
      readonly region: RegionId;
      readonly call: number;
      readonly takesEffect: boolean;
    }
  | { readonly kind: 'lost answer'; readonly region: RegionId; readonly call: number }
  | { readonly kind: 'runs at once'; readonly regions: readonly RegionId[] }
  | {
      /** Someone changes a key in KMS, and changes it back. */
      readonly kind: 'sabotage';
      readonly region: RegionId;
      readonly key: 'current' | 'next' | 'previous';
      readonly state: 'disabled' | 'pending_deletion';
      readonly seconds: number;
    }
  | {
      readonly kind: 'clock jump';
      readonly region: RegionId;
      readonly host: 'rotation' | 'jwks' | 'token';
      readonly by: number;
      readonly seconds: number;
    }
  | { readonly kind: 'rotate'; readonly region: RegionId; readonly algorithm?: Alg | undefined }
  | { readonly kind: 'new config'; readonly algs: readonly [Alg, ...Alg[]] }
  | {
      readonly kind: 'withdraw';
      readonly region: RegionId;
      readonly key: 'current' | 'next' | 'previous';
      readonly emergency: boolean;
      readonly early: boolean;
    }
  /** A region is taken out of the config and destroyed. */
  | { readonly kind: 'remove'; readonly region: RegionId }
);

const byKind: Readonly<Record<Trouble['kind'], true>> = {
  'cut off': true,
  unreachable: true,
  'KMS is down': true,
  'runs are missed': true,
  crash: true,
  'lost answer': true,
  'runs at once': true,
  sabotage: true,
  'clock jump': true,
  rotate: true,
  'new config': true,
  withdraw: true,
  remove: true,
};

export const troubleKinds = Object.keys(byKind) as readonly Trouble['kind'][];

/** A history in short: all that happens in it follows from these values. */
export interface Story {
  readonly policy: SigningKeyPolicyInput;
  readonly maxTokenLifetime: number;
  /** Seconds between two runs of each region's rotation. */
  readonly interval: number;
  /** Seconds for which the story lasts, before everything is well again. */
  readonly duration: number;
  /** When each region is deployed, in seconds after the beginning. */
  readonly joinAt: Readonly<Record<RegionId, number>>;
  /** When the runs of each region begin within an interval, in seconds. */
  readonly phases: Readonly<Record<RegionId, number>>;
  readonly algs: readonly [Alg, ...Alg[]];
  readonly clocksDiffer: boolean;
  readonly tokenReuse: boolean;
  /** Seconds for which KMS does not list a new key. */
  readonly kmsListLag: number;
  readonly troubles: readonly Trouble[];
  /** Chance decides over lags and orders by it. */
  readonly seed: number;
}
