import type { SecretUseRecorder } from '../client/client-store.ts';
import type { PortOptions } from '../port.ts';
import { formatDay } from '../rfc3339.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import type { SecretUse } from './token-facts.ts';

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
  const day = formatDay(now);
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
