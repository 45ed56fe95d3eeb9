import type { SigningKey, SigningKeyState } from '../signing-key/signing-key.ts';

/** A past step in a key's life cycle. */
export interface KeyEvent {
  /** Seconds since the epoch. */
  readonly at: number;
  readonly key: SigningKey;
  /** The state that the key entered. */
  readonly state: SigningKeyState;
}

/** The attribute of a key's record that keeps the time of each state. */
const timeOf: Readonly<Record<SigningKeyState, (key: SigningKey) => number | undefined>> = {
  next: (key) => key.publishedAt,
  current: (key) => key.activatedAt,
  previous: (key) => key.retiredAt,
  withdrawn: (key) => key.withdrawnAt,
  disabled: (key) => key.disabledAt,
  deletion_scheduled: (key) => key.deletionScheduledAt,
};

const states = Object.keys(timeOf) as readonly SigningKeyState[];

/**
 * What has happened to every key, the latest first. It is derived from the records, so it cannot
 * disagree with them. The audit log has the name of the operator who asked for a step.
 */
export function buildHistory(keys: readonly SigningKey[]): readonly KeyEvent[] {
  return keys
    .flatMap((key) =>
      states.flatMap((state) => {
        const at = timeOf[state](key);
        return at === undefined ? [] : [{ at, key, state }];
      }),
    )
    .toSorted((a, b) => b.at - a.at || states.indexOf(b.state) - states.indexOf(a.state));
}
