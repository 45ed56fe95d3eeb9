import { formatDay } from '../time.ts';
import { type ClientSecret, isUsable } from './client.ts';

type Secret = Pick<
  ClientSecret,
  'secretId' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedOn' | 'stops'
>;

/** One secret of a rotation in words. */
interface RotationStep {
  readonly secretId: string;
  readonly name: string | undefined;
  readonly text: string;
}

function oldText({ lastUsedOn }: Secret, usedSince: string | undefined, today: string): string {
  if (lastUsedOn === undefined) return 'was never used';
  if (lastUsedOn === today) return 'was last used today';
  return usedSince !== undefined && lastUsedOn < usedSince
    ? `was not used since ${lastUsedOn}`
    : `was last used on ${lastUsedOn}`;
}

/**
 * How a rotation goes on: what uses the old secrets, and whether the new one is used. It does not say
 * that an old secret is safe to end: the last use is a day, it can be lost, and a monthly job looks as
 * if it used none.
 *
 * @returns the old secrets and then the new one; nothing if no secret replaces another.
 */
export function describeRotation(secrets: readonly Secret[], now: number): readonly RotationStep[] {
  const usable = secrets.filter((secret) => isUsable(secret, now));
  const newest = usable.toSorted((a, b) => b.createdAt - a.createdAt)[0];
  const old = usable.filter(
    (one) =>
      newest !== undefined && one.createdAt < newest.createdAt && one.expiresAt !== undefined,
  );
  if (newest === undefined || old.length === 0) return [];
  const today = formatDay(now);
  const step = ({ secretId, name }: Secret, text: string): RotationStep => ({
    secretId,
    name,
    text,
  });
  const used = newest.lastUsedOn;
  const newText =
    used === undefined
      ? 'was not used yet'
      : `was last used ${used === today ? 'today' : `on ${used}`}`;
  return [...old.map((one) => step(one, oldText(one, used, today))), step(newest, newText)];
}
