import { lastTime, secondsPerDay, secretExpiresSoonWithin } from '../../contract/bounds.ts';
import { isEnabled } from '../stops.ts';
import { formatDay } from '../time.ts';
import type { Client, ClientSecret } from './client.ts';

type SecretLife = Pick<ClientSecret, 'createdAt' | 'expiresAt' | 'lastUsedOn' | 'stops'>;

/** When a secret needs the attention of the person who looks after its client, in seconds. */
export const secretAttention = {
  expiresWithin: secretExpiresSoonWithin,
  /** A quarter: a job that runs every month or every quarter has used its secret since. */
  unusedFor: 90 * secondsPerDay,
} as const;

/** Whether a secret that still works expires within so many seconds. */
export function expiresWithin(secret: SecretLife, seconds: number, now: number): boolean {
  const { expiresAt } = secret;
  if (!isEnabled(secret)) return false;
  return expiresAt !== undefined && expiresAt > now && expiresAt <= now + seconds;
}

/** Whether a secret that still works was not used for so many seconds, or never since then. */
export function isUnusedFor(secret: SecretLife, seconds: number, now: number): boolean {
  if (!isEnabled(secret)) return false;
  if (secret.expiresAt !== undefined && secret.expiresAt <= now) return false;
  if (secret.createdAt > now - seconds) return false;
  const { lastUsedOn } = secret;
  return lastUsedOn === undefined || lastUsedOn < formatDay(Math.max(0, now - seconds));
}

/** The UTC day on which a client last got a token, by any of its secrets or an assertion. */
export function lastUse(client: {
  readonly secrets: readonly SecretLife[];
  readonly lastUsedOn?: string | undefined;
}): string | undefined {
  return client.secrets
    .flatMap(({ lastUsedOn }) => lastUsedOn ?? [])
    .concat(client.lastUsedOn ?? [])
    .toSorted()
    .at(-1);
}

type SecretConcern = 'expires_soon' | 'unused';

/**
 * Whether callers have moved to a newer secret: it was used later than this one, which was used
 * neither today nor yesterday. A record has only the day of a last use, so a caller that comes once
 * a month may still use this one.
 */
export function isReplaced(
  { secrets }: { readonly secrets: readonly SecretLife[] },
  { createdAt, expiresAt = Number.POSITIVE_INFINITY, lastUsedOn = '' }: SecretLife,
  now: number,
): boolean {
  if (lastUsedOn >= formatDay(Math.max(0, now - secondsPerDay))) return false;
  return secrets.some(
    (newer) =>
      newer.createdAt > createdAt &&
      isEnabled(newer) &&
      (newer.expiresAt ?? Number.POSITIVE_INFINITY) > Math.min(expiresAt, lastTime) &&
      (newer.lastUsedOn ?? '') > lastUsedOn,
  );
}

/**
 * Why a person should look at a secret. Nothing about a disabled client is urgent, and neither is
 * the end of a secret that callers have replaced.
 */
export function findSecretConcern(
  client: Pick<Client, 'stops'> & { readonly secrets: readonly SecretLife[] },
  secret: SecretLife,
  now: number,
): SecretConcern | undefined {
  if (!isEnabled(client)) return undefined;
  if (expiresWithin(secret, secretAttention.expiresWithin, now)) {
    return isReplaced(client, secret, now) ? undefined : 'expires_soon';
  }
  return isUnusedFor(secret, secretAttention.unusedFor, now) ? 'unused' : undefined;
}
