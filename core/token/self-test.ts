import { prefixes } from '../credential/credential-value.ts';
import { chooseSigningKeys, type KeySettings } from '../signing-key/select-signing-key.ts';
import { type ChooseKeys, signJws } from '../signing-key/sign-jws.ts';
import type { TokenPorts } from './issue-token.ts';
import type { TokenValues } from './token-values.ts';

/** A type that no verifier accepts as a token, and a payload without meaningful claims. */
const selfTestType = 'self-test+jwt';

/** Does not have the form of an id, so no client can ever have it. */
const nobody = `${prefixes.client}self-test`;

/**
 * Does what a token needs: reads a client, reads the key list, signs and verifies. The signed text
 * is never returned.
 *
 * @throws the error that a token request would throw at the same time; that of KMS only if the client
 * could be read.
 */
export async function runSelfTest(
  ports: Pick<TokenPorts, 'clients' | 'listSigningKeys' | 'sign'>,
  { now, signal }: Pick<TokenValues, 'now' | 'signal'>,
  settings: KeySettings,
): Promise<void> {
  const signOnce = async (): Promise<void> => {
    const times = { iat: now, exp: now };
    const content = { typ: selfTestType, payload: { iat: now } };
    const chooseKeys: ChooseKeys = (maxAge) =>
      chooseSigningKeys(ports.listSigningKeys, settings, times, { signal, maxAge });
    const options = { signal, chooseAgain: chooseKeys };
    await signJws(content, await chooseKeys(), ports.sign, options);
  };
  const results = [ports.clients.findClient(nobody, { signal }), signOnce()];
  for (const result of await Promise.allSettled<unknown>(results)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
