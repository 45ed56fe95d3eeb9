import type { SecretUseRecorder } from '../client/client-store.ts';
import type { PortOptions } from '../port.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import type { SecretUse } from './token-facts.ts';

/** UTC day of a time in seconds since the epoch, e.g. `2026-11-20`. */
function utcDay(now: number): string {
  return new Date(now * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/**
 * Begins to note that a secret was used, where that has not been noted today. The token neither
 * waits for it nor fails with it.
 *
 * @returns says how far it has come.
 */
export function beginSecretUse(
  { client, secret }: AuthenticatedClient,
  recorder: SecretUseRecorder,
  now: number,
  options: PortOptions,
): () => SecretUse {
  const day = utcDay(now);
  if (secret.lastUsedOn === day) return () => 'not_due';
  let progress: SecretUse = 'pending';
  recorder.recordSecretUse(client.clientId, secret.secretId, day, options).then(
    () => {
      progress = 'recorded';
    },
    () => {
      progress = 'failed';
    },
  );
  return () => progress;
}
