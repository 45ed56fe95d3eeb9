/** How much is measured. Every figure is the median of its runs. */
export interface Plan {
  readonly name: 'full' | 'quick';
  readonly runs: number;
  readonly coldRuns: number;
  /** Invocations of a process that has just started, which have a figure of their own. */
  readonly firstInvocations: number;
  /**
   * Invocations before a warm process is measured. V8 goes on compiling for so long: an instance
   * that serves twenty requests a second has had them after a quarter of an hour.
   */
  readonly warmUp: number;
  /** Invocations of one run. */
  readonly invocations: number;
  /** The same if the backends are slow. */
  readonly delayedInvocations: number;
  /** Seconds of load for one measurement of throughput. */
  readonly loadSeconds: number;
}

/** Bounded: about ten minutes on two cores. */
export const fullPlan: Plan = {
  name: 'full',
  runs: 7,
  coldRuns: 15,
  firstInvocations: 1000,
  warmUp: 20_000,
  invocations: 1000,
  delayedInvocations: 100,
  loadSeconds: 3,
};

/** Says whether everything runs; its figures are noise. Below a minute. */
export const quickPlan: Plan = {
  name: 'quick',
  runs: 1,
  coldRuns: 1,
  firstInvocations: 20,
  warmUp: 100,
  invocations: 50,
  delayedInvocations: 10,
  loadSeconds: 0.5,
};
