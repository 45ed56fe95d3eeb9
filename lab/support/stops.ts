import type { Stops } from '../../core/stops.ts';

/** What a person stopped. */
export const personStop: Stops = {
  person: { at: 1_800_000_000, by: 'arn:aws:sts::111122223333:assumed-role/operator/name' },
};
