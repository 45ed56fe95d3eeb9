import type { SecretUseRecorder } from '../client/client-store.ts';
import { formatDay } from '../rfc3339.ts';
import type { SignWithKeys, UnsignedToken } from './sign-token.ts';
import type { SecretUse, TokenValues } from './token-values.ts';

/** @returns the state of the recording, which changes when the store answers. */
function beginRecording(
  { client, secret }: UnsignedToken,
  recorder: SecretUseRecorder,
  { now, signal }: TokenValues,
): { readonly state: SecretUse } {
  const day = formatDay(now);
  if (secret.lastUsedOn === day) return { state: 'not_due' };
  const recording: { state: SecretUse } = { state: 'pending' };
  recorder.recordSecretUse(client.clientId, secret.secretId, day, { signal }).then(
    () => {
      recording.state = 'recorded';
    },
    () => {
      recording.state = 'failed';
    },
  );
  return recording;
}

/**
 * Records that a secret was used, unless that was already recorded today. The token is signed at
 * the same time: it does not wait for the record, and does not fail when the record fails.
 */
export function recordSecretUse(recorder: SecretUseRecorder, sign: SignWithKeys): SignWithKeys {
  return async (token, keys, values) => {
    const recording = beginRecording(token, recorder, values);
    const signed = await sign(token, keys, values);
    values.log.secretUse = recording.state;
    return signed;
  };
}
