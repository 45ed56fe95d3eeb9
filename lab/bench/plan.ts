/** How much of two handlers next to each other is measured. */
export interface PairPlan {
  /** For each row with a target. */
  readonly processes: number;
  /**
   * Invocations of each side before anything counts. V8 continues to compile for 20,000: after 2,000,
   * one tree was 1.42 and 1.55 of its floor in two processes.
   */
  readonly warmUp: number;
  /** Invocations of a warm block. A cold one has one. */
  readonly blockSize: number;
  /** Blocks of each side. */
  readonly warm: number;
  readonly cold: number;
}

/** How much is measured. A figure of a round is the median of its runs. */
export interface Plan {
  /** How often everything with a target is measured again, with new processes. */
  readonly rounds: number;
  readonly runs: number;
  /** Starts of each bundle. With 25, a ratio was 1.19 and 1.34 in two rounds. */
  readonly coldRuns: number;
  /**
   * Invocations before a warm process is measured. V8 continues to compile for so long: an instance
   * that serves twenty requests a second has had them after seven minutes.
   */
  readonly warmUp: number;
  /** Invocations of one run. */
  readonly invocations: number;
  /** The same if the backends are slow. */
  readonly delayedInvocations: number;
  /** Of two handlers next to each other. */
  readonly pairs: PairPlan;
}

/** Takes 35 minutes on two cores. */
export const fullPlan: Plan = {
  rounds: 3,
  runs: 3,
  coldRuns: 75,
  warmUp: 8000,
  invocations: 600,
  delayedInvocations: 60,
  pairs: { processes: 3, warmUp: 20_000, blockSize: 20, warm: 80, cold: 300 },
};

/** Shows whether everything runs; its figures are noise. Takes about a minute. */
export const quickPlan: Plan = {
  rounds: 1,
  runs: 1,
  coldRuns: 1,
  warmUp: 100,
  invocations: 50,
  delayedInvocations: 10,
  pairs: { processes: 1, warmUp: 50, blockSize: 5, warm: 8, cold: 8 },
};
