import type { SigningKeyPolicy } from '../contract/signing-key-policy.ts';
import { formatSpan } from '../core/duration.ts';
import type { KeyEvent } from '../core/key-rotation/rotation-state.ts';
import { buildTimeline, type TimelineEntry } from '../core/key-rotation/timeline.ts';
import { formatTime } from '../core/rfc3339.ts';
import type { SigningKey } from '../core/signing-key/signing-key.ts';
import type { Cell } from './table.ts';

/** The next step in words. */
const meanings = {
  promote: 'may sign',
  retire: 'stops signing',
  withdraw: 'leaves the JWKS',
  disable: 'is disabled',
  schedule_deletion: 'is deleted from KMS',
} as const;

function describeNext({ next }: TimelineEntry, now: number): Cell {
  if (next === undefined) return undefined;
  const wait = next.at - now;
  return `${meanings[next.action]} ${wait > 0 ? `in ${formatSpan(wait)}` : 'now'}`;
}

/** A new key waits until every verifier knows it: that is no shortage of safety. */
function describeSafety({ key, safety }: TimelineEntry): Cell {
  if (safety === undefined) return undefined;
  return key.state === 'next' && safety < 0 ? 'waits' : formatSpan(safety);
}

export function timelineColumns(now: number) {
  return {
    region: ({ key }: TimelineEntry) => key.regionId,
    kid: ({ key }: TimelineEntry) => key.kid,
    algorithm: ({ key }: TimelineEntry) => key.alg,
    state: ({ key, signs }: TimelineEntry) => (signs ? 'current, signs' : key.state),
    for: ({ since }: TimelineEntry) => formatSpan(now - since),
    next: (entry: TimelineEntry) => describeNext(entry, now),
    safety: describeSafety,
  };
}

function formatOptional(time: number | undefined): string | undefined {
  return time === undefined ? undefined : formatTime(time);
}

function viewTimes(key: SigningKey) {
  return {
    published_at: formatTime(key.publishedAt),
    activated_at: formatOptional(key.activatedAt),
    retired_at: formatOptional(key.retiredAt),
    withdraw_at: formatOptional(key.withdrawAt),
    withdrawn_at: formatOptional(key.withdrawnAt),
    disable_at: formatOptional(key.disableAt),
    disabled_at: formatOptional(key.disabledAt),
    deletion_scheduled_at: formatOptional(key.deletionScheduledAt),
  };
}

export function viewEntry(entry: TimelineEntry): Readonly<Record<string, unknown>> {
  const { key, signs, next, safety, liveTokens } = entry;
  return {
    kid: key.kid,
    region: key.regionId,
    algorithm: key.alg,
    state: key.state,
    signs,
    kms_key_arn: key.kmsKeyArn,
    ...viewTimes(key),
    next_action: next?.action,
    next_action_at: formatOptional(next?.at),
    safety_seconds: safety,
    live_token_seconds: liveTokens,
  };
}

export function viewEvent({ at, key, state }: KeyEvent): Readonly<Record<string, unknown>> {
  return { time: formatTime(at), kid: key.kid, region: key.regionId, algorithm: key.alg, state };
}

/** A key by its kid, with the time until its last token expires. */
export function findEntry(
  keys: readonly SigningKey[],
  kid: string,
  policy: SigningKeyPolicy,
  now: number,
): TimelineEntry | undefined {
  return buildTimeline(keys, policy, now).find((entry) => entry.key.kid === kid);
}
