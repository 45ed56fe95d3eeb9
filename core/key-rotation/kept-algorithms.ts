import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import { RefusedError } from '../errors.ts';
import { earliestEligibleAt } from '../signing-key/select-signing-key.ts';
import { isPublished, type SigningKey } from '../signing-key/signing-key.ts';
import { formatTime } from '../time.ts';
import { findCurrentKey } from './plan.ts';
import type { Heartbeat } from './rotation-ports.ts';
/** A config without the algorithm of a key that signs, or whose tokens are still valid. */
export class AlgorithmInUseError extends RefusedError {
  /** The config's algorithms, followed by those that it must keep. */
  readonly allowed: readonly Alg[];

  constructor(message: string, allowed: readonly Alg[]) {
    super(message);
    this.allowed = allowed;
  }
}

/** The state that a config is compared with. */
export interface KeptAlgorithmsCheck {
  /** Of every region: discovery is one document for all of them. */
  readonly keys: readonly SigningKey[];
  /** `signingAlgorithms` of the new config. */
  readonly algs: readonly Alg[];
  /** Of the new config. */
  readonly regionIds: readonly RegionId[];
  /** When the rotation of each region last ran. */
  readonly heartbeats: readonly Heartbeat[];
  readonly policy: SigningKeyPolicy;
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * Checks that a config names the algorithm of every key that may sign or whose tokens are still
 * valid. Roles may sign only with the configured algorithms, and discovery lists them. When a
 * config omits one, its keys can no longer sign, and verifiers refuse their tokens.
 *
 * @throws {AlgorithmInUseError} naming each such key and when its algorithm can be removed.
 */
export function assertAlgorithmsKept(check: KeptAlgorithmsCheck): void {
  const { keys, algs, now } = check;
  const needed = keys.filter(
    (key) => !algs.includes(key.alg) && isInService(key.regionId, check) && isNeeded(key, check),
  );
  if (needed.length === 0) return;
  const allowed = [...new Set([...algs, ...needed.map((key) => key.alg)])];
  const lines = needed.map(
    (key) => `  ${key.regionId}: ${key.kid} (${key.alg}) ${describe(key, check)}`,
  );
  throw new AlgorithmInUseError(
    [
      `signingAlgorithms: received ${algs.join(', ')}; allowed at ${formatTime(now)}: ${allowed.join(', ')}, because of these keys:`,
      ...lines,
    ].join('\n'),
    allowed,
  );
}

/** A region that left the config signed until its last run; its tokens are valid for longer. */
function isInService(
  regionId: RegionId,
  { regionIds, heartbeats, policy, now }: KeptAlgorithmsCheck,
): boolean {
  return (
    regionIds.includes(regionId) ||
    heartbeats.some((beat) => beat.regionId === regionId && beat.at + policy.retention > now)
  );
}

/** A `next` key is needed only if its region has no other key that could sign first. */
function isNeeded(key: SigningKey, { keys, algs, now }: KeptAlgorithmsCheck): boolean {
  if (key.state === 'current') return true;
  if (key.state === 'previous') return isPublished(key, now);
  if (key.state !== 'next' || findCurrentKey(keys, key.regionId) !== undefined) return false;
  return successors(key, keys, algs).length === 0;
}

function successors(
  key: SigningKey,
  keys: readonly SigningKey[],
  algs: readonly Alg[],
): readonly SigningKey[] {
  return keys.filter(
    (other) =>
      other.regionId === key.regionId && other.state === 'next' && algs.includes(other.alg),
  );
}

function describe(key: SigningKey, check: KeptAlgorithmsCheck): string {
  if (key.state !== 'previous') {
    const verb = key.state === 'current' ? 'signs' : 'signs next';
    return `${verb}; ${key.alg} can be removed from ${formatTime(removableAt(key, check))} on at the earliest, after another key has replaced it`;
  }
  if (key.withdrawAt === undefined) return 'is published, and has no recorded end';
  return `does not sign any more; ${key.alg} can be removed from ${formatTime(key.withdrawAt)} on, when its last token has expired`;
}

/**
 * The earliest time at which the last token of a signing key can have expired: when its successor
 * is promoted, plus the retention.
 */
function removableAt(key: SigningKey, { keys, algs, policy, now }: KeptAlgorithmsCheck): number {
  const times = successors(key, keys, algs).map((next) => earliestEligibleAt(next, policy, now));
  const replacedAt = times.length === 0 ? now + policy.publicationLead : Math.min(...times);
  return Math.max(now, replacedAt) + policy.retention;
}
