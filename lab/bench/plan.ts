/** How much is measured. A figure of a round is the median of its runs. */
export interface Plan {
  readonly name: 'full' | 'quick';
  /** How often everything with a target is measured again, with new processes. */
  readonly rounds: number;
  readonly runs: number;
  readonly coldRuns: number;
  /** Invocations of a process that has just started, which have a figure of their own. */
  readonly firstInvocations: number;
  /**
   * Invocations before a warm process is measured. V8 continues to compile for so long: an instance
   * that serves twenty requests a second has had them after seven minutes.
   */
  readonly warmUp: number;
  /** Invocations of one run. */
  readonly invocations: number;
  /** The same if the backends are slow. */
  readonly delayedInvocations: number;
  /** Seconds of load for one measurement of throughput. */
  readonly loadSeconds: number;
}

/** Takes about ten minutes on two cores. */
export const fullPlan: Plan = {
  name: 'full',
  rounds: 3,
  runs: 3,
  coldRuns: 5,
  firstInvocations: 1000,
  warmUp: 8000,
  invocations: 600,
  delayedInvocations: 60,
  loadSeconds: 1,
};

/** Shows whether everything runs; its figures are noise. Takes about a minute. */
export const quickPlan: Plan = {
  name: 'quick',
  rounds: 1,
  runs: 1,
  coldRuns: 1,
  firstInvocations: 20,
  warmUp: 100,
  invocations: 50,
  delayedInvocations: 10,
  loadSeconds: 0.5,
};
