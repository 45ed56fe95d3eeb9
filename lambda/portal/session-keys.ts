import { createHash } from 'node:crypto';
import type { ReadSecret, Secret } from '../../adapters/secrets/secret-reader.ts';
import { type Clock, seconds } from '../../core/clock.ts';
import type { SealingKeys } from '../../portal/login/sealing.ts';

/** Characters of a secret: 43 of base64url are 256 bits. */
const leastLength = 43;

/** Seconds for which the keys are kept. */
const refreshAfter = 60;

/**
 * Seconds from the creation of a new key to its first use. By then each instance of the function
 * has read it, so none refuses a cookie that another one sealed.
 */
const useAfter = 5 * refreshAfter;

function keyOf({ text }: Secret): Uint8Array {
  if (text.length >= leastLength) return createHash('sha256').update(text).digest();
  throw new RangeError(
    `the session key: received a text of ${text.length} characters; allowed: ${leastLength} random characters or more`,
  );
}

/**
 * The keys of cookies, from a secret that is rotated: the version before is still read. If Secrets
 * Manager does not answer, the last keys stay, so people who are signed in go on.
 *
 * @param onFailure hears when the keys could not be read again.
 */
export function createSessionKeys(
  readSecret: ReadSecret,
  {
    arn,
    clock,
    onFailure,
  }: {
    readonly arn: string;
    readonly clock: Clock;
    readonly onFailure: (error: unknown) => void;
  },
): () => Promise<SealingKeys> {
  let kept: { readonly at: number; readonly keys: SealingKeys } | undefined;
  const read = async (now: number): Promise<SealingKeys> => {
    const [current, previous] = await Promise.all([
      readSecret(arn, 'AWSCURRENT'),
      readSecret(arn, 'AWSPREVIOUS'),
    ]);
    if (current === undefined) throw new RangeError('the session key: received no current version');
    if (previous === undefined) return [keyOf(current)];
    const [newer, older] = [keyOf(current), keyOf(previous)];
    return now - current.createdAt < useAfter ? [older, newer] : [newer, older];
  };
  return async () => {
    const now = seconds(clock());
    if (kept !== undefined && now - kept.at < refreshAfter) return kept.keys;
    try {
      kept = { at: now, keys: await read(now) };
    } catch (error) {
      if (kept === undefined) throw error;
      onFailure(error);
      kept = { ...kept, at: now };
    }
    return kept.keys;
  };
}
