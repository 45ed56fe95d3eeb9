import { type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import type { Sign } from '../../core/signing-key/sign.ts';
import { createSign } from './sign-with-key.ts';

/** Signs through the SDK's client. */
export function createKmsSign(kms: KMSClient): Sign {
  return createSign((input, { signal }) =>
    kms.send(new SignCommand(input), { abortSignal: signal }),
  );
}
