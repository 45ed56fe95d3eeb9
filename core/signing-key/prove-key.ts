import type { CanaryVerdict } from '../../contract/function-events.ts';
import { UnavailableError } from '../errors.ts';
import { PromotionRefusedError } from './rotation-errors.ts';
import type { RotationPorts } from './rotation-ports.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Proves a `next` key: a canary token that it signed verifies through the JWKS of every region in
 * service. A region that serves a JWKS without the key may have done so until now, whatever the
 * lag was meant to be, so the key's time starts anew.
 *
 * @throws {PromotionRefusedError} naming each region that does not verify it.
 */
export async function proveKey(key: SigningKey, ports: RotationPorts): Promise<void> {
  const verdicts = await askCanary(key, ports);
  const hasOwn = verdicts.some((verdict) => verdict.region === key.regionId);
  if (hasOwn && verdicts.every((verdict) => verdict.ok)) return;
  if (verdicts.some((verdict) => verdict.problem === 'absent')) {
    await ports.store.replaceSigningKey({
      ...key,
      publishedAt: ports.now(),
      version: key.version + 1,
    });
  }
  throw new PromotionRefusedError(key.kid, verdicts);
}

/** A canary that does not answer proves nothing, and keeps no other step from being taken. */
async function askCanary(key: SigningKey, ports: RotationPorts): Promise<readonly CanaryVerdict[]> {
  try {
    return await ports.proveKey(key.kid);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const reason = `the canary does not answer: ${error.message}`;
    return [{ kid: key.kid, region: key.regionId, ok: false, problem: 'not_signed', reason }];
  }
}
