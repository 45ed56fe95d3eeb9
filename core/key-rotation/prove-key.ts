import type { CanaryFinding } from '../../contract/function-events.ts';
import { UnavailableError } from '../errors.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import {
  PromotionRefusedError,
  type RotationContext,
  type RotationPorts,
} from './rotation-ports.ts';
import type { RotationState } from './rotation-state.ts';

type Proof = Pick<SigningKey, 'seenAt' | 'provedAt'>;

/**
 * Proves a `next` key: a canary token that it signed verifies with the JWKS of every region in
 * service. Records the result, from which the key's lead is counted.
 *
 * @throws {PromotionRefusedError} naming each region that does not verify it.
 */
export async function proveKey(
  key: SigningKey,
  { heartbeats }: Pick<RotationState, 'heartbeats'>,
  { ports, settings }: Pick<RotationContext, 'ports' | 'settings'>,
): Promise<void> {
  const findings = await askCanary(key, ports);
  const { propagationLag, leeway } = settings.policy;
  const haveRunSince = (time: number) =>
    findings.every(({ region }) =>
      heartbeats.some(
        ({ regionId, at }) => regionId === region && at >= time + propagationLag + leeway,
      ),
    );
  const hasOwn = findings.some(({ region }) => region === key.regionId);
  const isServed = hasOwn && findings.every(({ ok }) => ok);
  const proof = isServed
    ? advanceProof(key, haveRunSince, ports.now())
    : withdrawProof(key, findings);
  if (proof !== undefined) {
    await ports.store.replaceSigningKey({ ...key, ...proof, version: key.version + 1 });
  }
  if (!isServed) throw new PromotionRefusedError(key.kid, findings);
}

/**
 * The canary reaches one instance of a region's JWKS function; others may be G behind. If the
 * region loses access to its tables before they catch up, they stay behind until it has access
 * again. When a region runs its rotation, it writes to its tables. So a heartbeat at least G after
 * the first sighting shows that all instances have caught up. An unreachable region or missed runs
 * after that cannot change the result.
 */
function advanceProof(
  { seenAt, provedAt }: SigningKey,
  haveRunSince: (time: number) => boolean,
  now: number,
): Proof | undefined {
  if (provedAt !== undefined) return undefined;
  if (seenAt === undefined) return { seenAt: now };
  return haveRunSince(seenAt) ? { provedAt: now } : undefined;
}

/** A region that serves a JWKS without the key may have done so until now, for any reason. */
function withdrawProof(
  { seenAt, provedAt }: SigningKey,
  findings: readonly CanaryFinding[],
): Proof | undefined {
  const isMissing = findings.some(
    ({ problem }) => problem === 'absent' || problem === 'not_verified',
  );
  const hasProof = seenAt !== undefined || provedAt !== undefined;
  return isMissing && hasProof ? { seenAt: undefined, provedAt: undefined } : undefined;
}

/** When the canary does not answer, nothing is proved, but all other steps are still taken. */
async function askCanary(key: SigningKey, ports: RotationPorts): Promise<readonly CanaryFinding[]> {
  try {
    return await ports.checkKey(key.kid);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const reason = `the canary does not answer: ${error.message}`;
    return [{ kid: key.kid, region: key.regionId, ok: false, problem: 'not_signed', reason }];
  }
}
