import type { SecretUseRecorder } from '../client/client-store.ts';
import { formatDay } from '../rfc3339.ts';
import type { SignWithKeys, UnsignedToken } from './sign-token.ts';
import type { SecretUse, TokenValues } from './token-values.ts';

/** @returns says how far the recording has come. */
function beginRecording(
  { client, secret }: UnsignedToken,
  recorder: SecretUseRecorder,
  { now, signal }: TokenValues,
): () => SecretUse {
  const day = formatDay(now);
  if (secret.lastUsedOn === day) return () => 'not_due';
  let progress: SecretUse = 'pending';
  recorder.recordSecretUse(client.clientId, secret.secretId, day, { signal }).then(
    () => {
      progress = 'recorded';
    },
    () => {
      progress = 'failed';
    },
  );
  return () => progress;
}

/**
 * Records that a secret was used, unless that was already recorded today. The token is signed at
 * the same time: it does not wait for the record, and does not fail when the record fails.
 */
export function recordSecretUse(recorder: SecretUseRecorder, sign: SignWithKeys): SignWithKeys {
  return async (token, keys, values) => {
    const progress = beginRecording(token, recorder, values);
    const signed = await sign(token, keys, values);
    values.log.secretUse = progress();
    return signed;
  };
}
