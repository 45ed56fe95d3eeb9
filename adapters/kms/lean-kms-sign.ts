import type { Sign } from '../../core/signing-key/sign.ts';
import type { LeanClient } from '../lean/lean-client.ts';
import { createSign } from './sign-with-key.ts';

interface SignOutput {
  readonly KeyId?: string;
  /** base64. */
  readonly Signature?: string;
}

/** Signs through the lean client; in JSON, bytes are base64. */
export function createLeanKmsSign(client: LeanClient): Sign {
  return createSign(async (input, options) => {
    const Message = Buffer.from(input.Message).toString('base64');
    const output = (await client.call('Sign', { ...input, Message }, options)) as SignOutput;
    const { KeyId, Signature } = output;
    return {
      KeyId,
      Signature: Signature === undefined ? undefined : Buffer.from(Signature, 'base64'),
    };
  });
}
