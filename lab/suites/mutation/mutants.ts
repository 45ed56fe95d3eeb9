import { lifeCycleMutants } from './life-cycle-mutants.ts';
import type { Mutant } from './mutant.ts';
import { partitionAndClockMutants } from './partition-and-clock-mutants.ts';
import { publicationMutants } from './publication-mutants.ts';
import { revocationMutants } from './revocation-mutants.ts';

export const mutants: readonly Mutant[] = [
  ...lifeCycleMutants,
  ...partitionAndClockMutants,
  ...publicationMutants,
  ...revocationMutants,
];
