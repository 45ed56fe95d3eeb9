import { usualReplicationLag } from '../../contract/key-metrics.ts';
import type { RegionId } from '../../contract/regions.ts';
import { formatSpan } from '../duration.ts';

/** How a region's canary last ended. Only the staff may see it: reasons name keys and roles. */
export interface CanaryRun {
  readonly regionId: RegionId;
  /** Seconds since the epoch. */
  readonly at: number;
  /** Where a token of the key that signs does not verify, and why; undefined if it does. */
  readonly problem?: string | undefined;
  /** Why the token function did not sign in its self-test; undefined if it did. */
  readonly selfTestProblem?: string | undefined;
}

const say = (problem: string | undefined) => (problem ? `failed: ${problem}` : 'passed');

/** A region's last run in words. If two schedules were missed, it says nothing of the present. */
export function describeCanaryRun(runs: readonly CanaryRun[], regionId: RegionId, now: number) {
  const run = runs.find((one) => one.regionId === regionId);
  if (run === undefined) return { text: 'no canary has run yet', isGood: true };
  const { problem, selfTestProblem } = run;
  const age = Math.max(0, now - run.at);
  const isOld = age > usualReplicationLag;
  const ago = `${formatSpan(age)} ago${isOld ? ' (older than expected)' : ''}`;
  return {
    text: `${ago}: self-test ${say(selfTestProblem)}\ncanary ${say(problem)}`,
    isGood: !isOld && problem === undefined && selfTestProblem === undefined,
    /** Whether the token function could not sign when it last tried. */
    failsToSign: !isOld && selfTestProblem !== undefined,
  };
}
